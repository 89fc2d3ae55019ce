package pdf

import "strconv"

// element is a node of the structure tree that a screen reader follows (ISO 32000-1, 14.7).
type element struct {
	role       string
	attributes string // a PDF dictionary, or nothing
	parent     *element
	kids       []kid
	object     int // its number in the file, once known
}

type kid struct {
	element *element
	page    int // from 0
	mcid    int // within its page
}

// structure is the tree of a document, and the element of each page's marked content.
type structure struct {
	root    *element
	current *element
	pages   [][]*element
}

// within adds an element and makes it the parent of what do adds.
func (s *structure) within(role, attributes string, do func()) {
	child := &element{role: role, attributes: attributes, parent: s.current}
	s.current.kids = append(s.current.kids, kid{element: child})
	s.inside(child, do)
}

// content adds a piece of a page to the current element, and returns its number there.
func (s *structure) content(page int) int {
	for len(s.pages) <= page {
		s.pages = append(s.pages, nil)
	}
	mcid := len(s.pages[page])
	s.pages[page] = append(s.pages[page], s.current)
	s.current.kids = append(s.current.kids, kid{page: page, mcid: mcid})
	return mcid
}

// appendTo adds the tree's objects to a file and returns the number of its root. pageObjects are the pages' numbers.
func (s *structure) appendTo(f *file, pageObjects []int) int {
	root := f.reserve()
	parents := f.reserve()
	s.root.reserve(f)
	s.root.write(f, root, pageObjects)
	f.put(root, "<</Type/StructTreeRoot/K "+ref(s.root.object)+"/ParentTree "+ref(parents)+
		"/ParentTreeNextKey "+strconv.Itoa(len(pageObjects))+">>")
	tree := []byte("<</Nums[")
	for page := range pageObjects {
		tree = strconv.AppendInt(tree, int64(page), 10)
		tree = append(tree, '[')
		if page < len(s.pages) {
			for _, owner := range s.pages[page] {
				tree = append(append(tree, ref(owner.object)...), ' ')
			}
		}
		tree = append(tree, ']')
	}
	f.put(parents, string(append(tree, "]>>"...)))
	return root
}

func (e *element) reserve(f *file) {
	e.object = f.reserve()
	for _, k := range e.kids {
		if k.element != nil {
			k.element.reserve(f)
		}
	}
}

func (e *element) write(f *file, parent int, pageObjects []int) {
	text := append([]byte("<</S/"), e.role...)
	text = append(append(text, "/P "...), ref(parent)...)
	if e.attributes != "" {
		text = append(append(text, "/A"...), e.attributes...)
	}
	page := -1
	for _, k := range e.kids {
		if k.element == nil {
			page = k.page
			text = append(append(text, "/Pg "...), ref(pageObjects[page])...)
			break
		}
	}
	text = append(text, "/K["...)
	for _, k := range e.kids {
		switch {
		case k.element != nil:
			text = append(text, ref(k.element.object)...)
			k.element.write(f, e.object, pageObjects)
		case k.page == page:
			text = strconv.AppendInt(text, int64(k.mcid), 10)
		default:
			text = append(append(text, "<</Type/MCR/Pg "...), ref(pageObjects[k.page])...)
			text = append(strconv.AppendInt(append(text, "/MCID "...), int64(k.mcid), 10), ">>"...)
		}
		text = append(text, ' ')
	}
	f.put(e.object, string(append(text, "]>>"...)))
}

// inside makes an element that is already in the tree the parent of what do adds.
func (s *structure) inside(e *element, do func()) {
	parent := s.current
	s.current = e
	do()
	s.current = parent
}
