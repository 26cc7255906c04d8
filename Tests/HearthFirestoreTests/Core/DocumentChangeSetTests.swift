import HearthModel
import Testing

@testable import HearthFirestore

struct DocumentChangeSetTests {
    private let old = document("rooms/hall", at: 1)
    private let new = document("rooms/hall", at: 2)

    private func merged(
        _ first: DocumentChange.Kind, _ second: DocumentChange.Kind
    ) -> [DocumentChange] {
        var changes = DocumentChangeSet()
        changes.track(DocumentChange(first, old))
        changes.track(DocumentChange(second, new))
        return changes.sorted(by: .byKey)
    }

    @Test(arguments: [
        (DocumentChange.Kind.added, DocumentChange.Kind.modified, DocumentChange.Kind.added),
        (.added, .metadata, .added), (.modified, .metadata, .modified),
        (.modified, .modified, .modified), (.metadata, .modified, .modified),
        (.metadata, .metadata, .metadata), (.removed, .added, .modified),
    ])
    func `two changes of one document become one that carries the newer state`(
        first: DocumentChange.Kind, second: DocumentChange.Kind, result: DocumentChange.Kind
    ) {
        #expect(merged(first, second) == [DocumentChange(result, new)])
    }

    @Test func `a document that came and went was never there`() {
        #expect(merged(.added, .removed).isEmpty)
    }

    @Test func `a removal after a modification shows what listeners last saw`() {
        #expect(merged(.modified, .removed) == [DocumentChange(.removed, old)])
    }

    @Test func `changes are listed removed, added, modified, each in the order of the query`() {
        var changes = DocumentChangeSet()
        for (kind, path) in [
            (DocumentChange.Kind.modified, "r/a"), (.added, "r/c"), (.removed, "r/d"),
            (.added, "r/b"), (.metadata, "r/0"),
        ] {
            changes.track(DocumentChange(kind, document(path)))
        }
        let paths = changes.sorted(by: .byKey).map(\.document.key.path.string)
        #expect(paths == ["r/d", "r/b", "r/c", "r/0", "r/a"])
    }
}
