package ownership

// components are the strongly connected customers: all that hold parts of each other, directly or not. Owners come
// before what they hold. Only holdings above 0 of the weights connect.
//
// This is Tarjan's algorithm with a stack of its own: a chain may have 2,000 customers.
func (g *Graph) components(weights []int32) (found [][]int32) {
	type visit struct{ customer, next int32 }
	n := len(g.ids)
	order, low := make([]int32, n), make([]int32, n) // 0: not visited yet
	done := make([]bool, n)
	all, open := make([]int32, 0, n), make([]int32, 0, n)
	var path []visit
	count := int32(0)
	enter := func(customer int32) {
		count++
		order[customer], low[customer] = count, count
		open = append(open, customer)
		path = append(path, visit{customer: customer})
	}
	for root := range int32(n) {
		if order[root] != 0 {
			continue
		}
		enter(root)
		for len(path) > 0 {
			at := &path[len(path)-1]
			c := at.customer
			if holders := g.holders.of(c); int(at.next) < len(holders) {
				holding := holders[at.next]
				at.next++
				switch h := g.arcs[holding].holder; {
				case weights[holding] == 0 || done[h]:
				case order[h] == 0:
					enter(h)
				default:
					low[c] = min(low[c], order[h])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				below := path[len(path)-1].customer
				low[below] = min(low[below], low[c])
			}
			if low[c] != order[c] {
				continue
			}
			first := len(all)
			for ended := false; !ended; {
				last := open[len(open)-1]
				open = open[:len(open)-1]
				done[last] = true
				all = append(all, last)
				ended = last == c
			}
			found = append(found, all[first:])
		}
	}
	return found
}
