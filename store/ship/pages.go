package ship

import (
	"slices"

	"github.com/superfly/ltx"
)

// pages are the checksums of a database's pages. Each LTX file has their sum before and after it, so it fits only after
// the one that it was made after.
type pages struct {
	sums  []ltx.Checksum
	total ltx.Checksum
}

func newPages() *pages { return &pages{total: ltx.ChecksumFlag} }

func (p *pages) put(page uint32, data []byte) {
	p.resize(max(page, uint32(len(p.sums))))
	sum := ltx.ChecksumPage(page, data)
	p.total = ltx.ChecksumFlag | (p.total ^ p.sums[page-1] ^ sum)
	p.sums[page-1] = sum
}

// resize makes the database that many pages long. New ones have no sum until they are put.
func (p *pages) resize(count uint32) {
	for uint32(len(p.sums)) > count {
		last := len(p.sums) - 1
		p.total = ltx.ChecksumFlag | (p.total ^ p.sums[last])
		p.sums = p.sums[:last]
	}
	if more := int(count) - len(p.sums); more > 0 {
		p.sums = append(p.sums, make([]ltx.Checksum, more)...)
	}
}

func (p *pages) clone() *pages { return &pages{sums: slices.Clone(p.sums), total: p.total} }
