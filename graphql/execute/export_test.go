package execute

// LimitPlans roughly bounds the memory of plans.
func (e *Executor) LimitPlans(bytes int) { e.plans.limit = bytes }
