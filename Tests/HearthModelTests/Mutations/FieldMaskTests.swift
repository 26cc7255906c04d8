import HearthModel
import Testing

struct FieldMaskTests {
    @Test func `paths are sorted, each once`() {
        let mask = FieldMask(["b", "a.b", "a", "b", "a.b", "a!"].map { FieldPath([$0]) })
        #expect(mask.paths == ["a", "a!", "a.b", "b"].map { FieldPath([$0]) })
        #expect(FieldMask([]) == .empty)
        #expect(FieldMask([FieldPath(["e\u{301}"]), FieldPath(["\u{E9}"])]).paths.count == 2)
    }

    @Test func `a mask covers what lies in its maps`() {
        let mask = mask("a.b", "c")
        #expect(
            mask.covers(field("a.b")) && mask.covers(field("a.b.x")) && mask.covers(field("c.d")))
        #expect(!mask.covers(field("a")) && !mask.covers(field("a.bb")) && !mask.covers(field("d")))
        #expect(!FieldMask.empty.covers(field("a")))
    }

    @Test func `a union has the paths of both`() {
        #expect(mask("a", "c").union([field("b"), field("a")]) == mask("a", "b", "c"))
        #expect(FieldMask.empty.union([]) == .empty)
    }
}
