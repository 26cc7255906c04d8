import HearthModel
import HearthTestSupport
import Testing

struct OverlayTests {
    private let name = key("c/a")
    private let now = Timestamp(seconds: 9, nanoseconds: 0)
    private let remote = found(
        "c/a", ["a": .map(["x": .integer(1), "y": .integer(2)]), "b": .integer(3)])

    private func patch(
        _ values: MapValue, _ paths: String..., transforms: [FieldTransform] = []
    ) -> Mutation {
        Mutation(
            key: name, kind: .patch(values, FieldMask(paths.map(field))), transforms: transforms)
    }

    /// The local document of `mutations`, and the overlay that stands for them.
    private func overlay(
        of mutations: [Mutation], on remote: Document
    ) -> (local: Document, overlay: Mutation?) {
        var local = remote
        var mask: FieldMask? = remote.isValid ? .empty : nil
        for mutation in mutations {
            mask = mutation.apply(to: &local, mask: mask, writtenAt: now)
        }
        return (local, Mutation.overlay(of: local, mask: mask))
    }

    @Test func `without local writes there is no overlay`() {
        #expect(overlay(of: [], on: remote).overlay == nil)
        let refused = Mutation(key: name, kind: .set([:]), precondition: .exists(false))
        #expect(overlay(of: [refused], on: remote).overlay == nil)
        #expect(overlay(of: [patch([:])], on: remote).overlay == nil)
    }

    @Test func `after a set or a deletion the overlay is the whole document`() {
        let set = Mutation(key: name, kind: .set(["n": .integer(1)]))
        let delete = Mutation(key: name, kind: .delete)
        #expect(
            overlay(of: [set, patch(["b": .null], "b")], on: remote).overlay
                == Mutation(key: name, kind: .set(["n": .integer(1), "b": .null])))
        #expect(overlay(of: [patch(["b": .null], "b"), delete], on: remote).overlay == delete)
        #expect(
            overlay(of: [delete, patch(["b": .null], "b")], on: remote).overlay
                == Mutation(key: name, kind: .set(["b": .null])))
    }

    @Test func `on a document of which nothing is known the overlay is whole`() {
        #expect(
            overlay(of: [patch(["b": .null], "b")], on: .invalid(name)).overlay
                == Mutation(key: name, kind: .set(["b": .null])))
    }

    @Test func `patches join to one patch of all their paths`() {
        let increment = FieldTransform(field: field("n"), operation: .increment(.integer(1)))
        let joined = overlay(
            of: [patch(["b": .null], "b"), patch([:], "a.x", transforms: [increment])], on: remote)
        #expect(
            joined.overlay
                == patch(
                    ["a": .map(["y": .integer(2)]), "b": .null, "n": .integer(1)], "a", "b", "n"))
    }

    @Test func `a nested field that is gone is told by its parent`() {
        #expect(
            overlay(of: [patch([:], "a.x")], on: remote).overlay
                == patch(["a": .map(["y": .integer(2)])], "a"))
        #expect(overlay(of: [patch([:], "b")], on: remote).overlay == patch([:], "b"))
        #expect(overlay(of: [patch([:], "q.r")], on: remote).overlay == patch([:], "q"))
    }

    @Test func `an empty merge shows a document that was missing`() {
        let missing = Document.missing(name, at: version(3))
        let (local, mutation) = overlay(of: [patch([:])], on: missing)
        #expect(local.isFound)
        #expect(mutation == patch([:]))
    }

    @Test func `an overlay belongs to its newest batch and shows as local writes`() {
        let overlay = Overlay(largestBatchID: BatchID(4), mutation: patch(["b": .null], "b"))
        var document = remote
        overlay.apply(to: &document)
        #expect(overlay.key == name && overlay.largestBatchID == BatchID(4))
        #expect(document[field("b")] == .null && document.hasLocalMutations)
    }

    /// The second equation: local document = remote document + overlay.
    @Test(arguments: 0..<60)
    func `an overlay has the effect of any writes it stands for`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            let remote = random.remoteDocument(name)
            let mutations = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                random.mutation(name)
            }
            let (local, mutation) = overlay(of: mutations, on: remote)
            var shown = remote
            if let mutation {
                Overlay(largestBatchID: BatchID(1), mutation: mutation).apply(to: &shown)
                #expect(shown == local, "\(remote.content) \(mutations)")
            } else {
                #expect(shown.content == local.content, "\(remote.content) \(mutations)")
            }
        }
    }
}

extension SeededGenerator {
    private static let paths = [
        "a", "a.b", "a.b.c", "a.b.d", "a.c", "b", "b.x", "b.x.y", "b.x.z", "c",
    ].map(field)

    fileprivate mutating func remoteDocument(_ name: DocumentKey) -> Document {
        switch Int.random(in: 0..<6, using: &self) {
        case 0: .invalid(name)
        case 1: .missing(name, at: version(3))
        default: .found(name, at: version(3), fields())
        }
    }

    private mutating func fields() -> MapValue {
        var map = MapValue.empty
        for _ in 0..<Int.random(in: 0...4, using: &self) {
            map.set(pick(Self.paths), to: leaf())
        }
        return map
    }

    private mutating func leaf() -> Value {
        pick([
            .integer(1), .double(2.5), .null, .map([:]), .array([.integer(1)]), .map(["b": .null]),
        ])
    }

    fileprivate mutating func mutation(_ name: DocumentKey) -> Mutation {
        let transforms = (0..<Int.random(in: 0...2, using: &self)).map { _ in
            FieldTransform(
                field: pick(Self.paths),
                operation: pick([
                    .increment(.integer(1)), .arrayUnion([.integer(2)]), .serverTimestamp,
                    .maximum(.double(2)), .arrayRemove([.integer(1)]),
                ]))
        }
        switch Int.random(in: 0..<8, using: &self) {
        case 0:
            return Mutation(key: name, kind: .delete, precondition: precondition())
        case 1:
            return Mutation(
                key: name, kind: .set(fields()), precondition: precondition(),
                transforms: transforms)
        default:
            let mask = FieldMask(
                (0..<Int.random(in: 0...3, using: &self)).map { _ in pick(Self.paths) })
            return Mutation(
                key: name, kind: .patch(fields(), mask), precondition: precondition(),
                transforms: transforms)
        }
    }

    private mutating func precondition() -> Precondition {
        pick([.none, .none, .exists(true), .exists(false)])
    }
}
