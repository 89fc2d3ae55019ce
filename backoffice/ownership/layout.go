package ownership

import (
	"cmp"
	"slices"
)

const (
	mostBoxes  = 60 // in a picture
	mostInRow  = 6  // a longer row becomes several
	boxWidth   = 172
	boxHeight  = 50
	boxGap     = 26
	bendWidth  = 12 // where a line passes a row
	rowGap     = 104
	rowHeight  = boxHeight + rowGap
	roundsMade = 12 // of ordering; pictures hardly change after a few
)

// layout places boxes in rows: holders above what they hold, so that arrows point down. It is Sugiyama's method: a ring
// is opened where it leads back, and lines that pass a row get a place in it. Those to the same box share that place.
type layout struct {
	g       *Graph
	boxes   []box
	rows    [][]int // boxes from left to right, from top to bottom
	lines   []line
	bends   map[[2]int]int // by the box to which the lines lead, and row
	leftOut int            // customers
}

type box struct {
	customer int32 // −1: a bend of a line
	rank     int   // 0: the most important
	row      int
	x        float64 // of its middle
	near     [2][]int
}

const above, below = 0, 1

type line struct {
	holding int32
	back    bool  // it closes a ring, and points up
	via     []int // boxes from top to bottom, with bends between
}

func (g *Graph) layOut() *layout {
	l := &layout{g: g, bends: map[[2]int]int{}}
	for i, c := range g.mostImportant() {
		l.boxes = append(l.boxes, box{customer: c, rank: i})
	}
	l.leftOut = len(g.ids) - len(l.boxes)
	order := g.fromTarget()
	slices.SortFunc(l.boxes, func(a, b box) int { return int(order[a.customer] - order[b.customer]) })
	boxOf := map[int32]int{}
	for i, b := range l.boxes {
		boxOf[b.customer] = i
	}
	for i, b := range l.boxes {
		for _, holding := range g.outwards(b.customer) {
			if far, is := boxOf[g.far(holding)]; is && far > i {
				l.boxes[far].row = max(l.boxes[far].row, l.boxes[i].row+1)
			}
		}
	}
	l.splitRows()
	for i := range g.arcs {
		holder, is := boxOf[g.arcs[i].holder]
		held, too := boxOf[g.arcs[i].held]
		if is && too {
			l.connect(int32(i), holder, held)
		}
	}
	l.place()
	return l
}

// mostImportant are the customers to draw: from the target on, always the next that has the largest share.
func (g *Graph) mostImportant() []int32 {
	share := make([]float64, len(g.ids))
	for _, s := range g.Stakes() {
		share[g.index[s.CustomerID]] = s.Share + s.UpperBound/1e6
	}
	drawn, reached := []int32{}, map[int32]bool{}
	for next := int32(target); next >= 0 && len(drawn) < mostBoxes; {
		drawn = append(drawn, next)
		reached[next] = false
		for _, holding := range g.outwards(next) {
			if _, known := reached[g.far(holding)]; !known {
				reached[g.far(holding)] = true
			}
		}
		next = -1
		for c, open := range reached {
			if open && (next < 0 || share[c] > share[next] || share[c] == share[next] && c < next) {
				next = c
			}
		}
	}
	return drawn
}

// fromTarget numbers customers so that only holdings that close a ring lead back to the target.
func (g *Graph) fromTarget() []int32 {
	components := g.components(g.everyHolding())
	if g.direction == Owners {
		slices.Reverse(components)
	}
	order := make([]int32, len(g.ids))
	next := int32(0)
	for _, component := range components {
		slices.Sort(component)
		for _, c := range component {
			order[c] = next
			next++
		}
	}
	return order
}

// splitRows makes several rows of one that is too long, and turns the rows so that holders are on top.
func (l *layout) splitRows() {
	rows := [][]int{}
	for i, b := range l.boxes {
		for len(rows) <= b.row {
			rows = append(rows, nil)
		}
		rows[b.row] = append(rows[b.row], i)
	}
	for _, row := range rows {
		slices.SortFunc(row, func(a, b int) int { // whoever has lines onwards is farthest
			return cmp.Or(l.onwards(a)-l.onwards(b), l.boxes[a].rank-l.boxes[b].rank)
		})
		parts := (len(row) + mostInRow - 1) / mostInRow
		for part := range slices.Chunk(row, (len(row)+parts-1)/parts) {
			l.rows = append(l.rows, slices.Clone(part))
		}
	}
	if l.g.direction == Owners {
		slices.Reverse(l.rows)
	}
	for i, row := range l.rows {
		for _, b := range row {
			l.boxes[b].row = i
		}
	}
}

func (l *layout) onwards(b int) int { return min(1, len(l.g.outwards(l.boxes[b].customer))) }

// connect draws a line between two boxes, with a bend in each row between.
func (l *layout) connect(holding int32, holder, held int) {
	top, bottom := holder, held
	back := l.boxes[top].row > l.boxes[bottom].row
	if back {
		top, bottom = bottom, top
	}
	via := []int{top}
	for row := l.boxes[top].row + 1; row < l.boxes[bottom].row; row++ {
		bend, made := l.bends[[2]int{held, row}]
		if !made {
			bend = len(l.boxes)
			l.boxes = append(l.boxes, box{customer: -1, row: row})
			l.rows[row] = append(l.rows[row], bend)
			l.bends[[2]int{held, row}] = bend
		}
		via = append(via, bend)
	}
	via = append(via, bottom)
	for i := range via[1:] {
		l.boxes[via[i]].near[below] = append(l.boxes[via[i]].near[below], via[i+1])
		l.boxes[via[i+1]].near[above] = append(l.boxes[via[i+1]].near[above], via[i])
	}
	l.lines = append(l.lines, line{holding: holding, back: back, via: via})
}

// place moves boxes to the middle of their neighbours above and below in turn.
func (l *layout) place() {
	for _, row := range l.rows {
		l.spread(row)
	}
	for round := range roundsMade {
		for i := range l.rows {
			side := above
			if round%2 == 0 {
				i, side = len(l.rows)-1-i, below
			}
			row := l.rows[i]
			for _, b := range row {
				l.pull(b, l.boxes[b].near[side])
			}
			l.sort(row)
			l.spread(row)
		}
	}
	for range roundsMade { // in this order, which crosses few lines, between all neighbours
		for _, row := range l.rows {
			for _, b := range row {
				l.pull(b, slices.Concat(l.boxes[b].near[above], l.boxes[b].near[below]))
			}
			l.spread(row)
		}
	}
}

// pull moves a box to the middle of others.
func (l *layout) pull(b int, others []int) {
	if len(others) == 0 {
		return
	}
	sum := 0.0
	for _, other := range others {
		sum += l.boxes[other].x
	}
	l.boxes[b].x = sum / float64(len(others))
}

// sort orders a row from left to right. Of boxes at the same x, half are on each side of a bend that is there too.
func (l *layout) sort(row []int) {
	slices.SortStableFunc(row, func(a, b int) int { return cmp.Compare(l.boxes[a].x, l.boxes[b].x) })
	for rest := row; len(rest) > 0; {
		end := slices.IndexFunc(rest, func(b int) bool { return l.boxes[b].x > l.boxes[rest[0]].x })
		if end < 0 {
			end = len(rest)
		}
		group := rest[:end]
		rest = rest[end:]
		var bends []int
		boxes := slices.DeleteFunc(slices.Clone(group), func(b int) bool {
			bend := l.boxes[b].customer < 0
			if bend {
				bends = append(bends, b)
			}
			return bend
		})
		copy(group, slices.Insert(boxes, len(boxes)/2, bends...))
	}
}

// spread moves the boxes of a row apart, as little as possible and bends even less, and keeps their order.
func (l *layout) spread(row []int) {
	type block struct {
		mean, weight float64
		size         int
	}
	var blocks []block
	offsets := make([]float64, len(row))
	for i, b := range row {
		if i > 0 {
			offsets[i] = offsets[i-1] + (l.width(row[i-1])+l.width(b))/2
		}
		weight := 1.0
		if l.boxes[b].customer < 0 {
			weight = 20
		}
		blocks = append(blocks, block{mean: l.boxes[b].x - offsets[i], weight: weight, size: 1})
		for n := len(blocks); n > 1 && blocks[n-2].mean > blocks[n-1].mean; n-- {
			x, y := blocks[n-2], blocks[n-1]
			weight := x.weight + y.weight
			blocks[n-2] = block{
				mean: (x.mean*x.weight + y.mean*y.weight) / weight, weight: weight, size: x.size + y.size,
			}
			blocks = blocks[:n-1]
		}
	}
	i := 0
	for _, block := range blocks {
		for range block.size {
			l.boxes[row[i]].x = block.mean + offsets[i]
			i++
		}
	}
}

// width is how much room a box takes in its row.
func (l *layout) width(b int) float64 {
	if l.boxes[b].customer < 0 {
		return bendWidth
	}
	return boxWidth + boxGap
}
