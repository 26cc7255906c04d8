import Glibc
import Hearth

/// A program that writes: an edit of a subdivision for each line of input.
///
///     DemoWriter < LINES        each line: ID NUMBER
///
/// An edit sets the subdivision's `edit` to the number, adds one to its `editCount`, and puts a
/// dated document into the collection `edits`, all or nothing. It prints when each edit is accepted
/// and when it is committed; it never waits for a network. The writer also listens to `demo/seen`,
/// where `DemoListener` notes the edits that arrive. The daemon's socket is in `$HEARTH_SOCKET`.
@main
struct DemoWriter {
    static func main() async throws {
        let firestore = Firestore.firestore()
        let registration = firestore.document("demo/seen").addSnapshotListener { snapshot, _ in
            guard let id = snapshot?["id"] as? String, let edit = snapshot?["edit"] as? Int else {
                return
            }
            say("the listener saw \(id) edit \(edit)")
        }
        await withTaskGroup { group in
            for number in sequence(first: 1, next: { $0 + 1 }) {
                guard let line = readLine() else { break }
                let words = line.split(separator: " ")
                guard words.count == 2, let edit = Int(words[1]) else {
                    say("line \(number) is not ID NUMBER: \(line)")
                    continue
                }
                let id = String(words[0])
                guard let receipt = await write(edit, to: id, in: firestore) else { continue }
                group.addTask { await tell(receipt, "\(id) edit \(edit)") }
            }
        }
        registration.remove()
    }

    /// Writes one edit and returns when it is accepted.
    private static func write(
        _ edit: Int, to id: String, in firestore: Firestore
    ) async -> WriteReceipt? {
        let batch = firestore.batch()
        let document = firestore.document("subdivisions/\(id)")
        batch.updateData(
            [
                "edit": edit, "editCount": FieldValue.increment(Int64(1)),
                "editedAt": FieldValue.serverTimestamp(),
            ], forDocument: document)
        let name = String(repeating: "0", count: max(0, 4 - "\(edit)".count)) + "\(edit)"
        batch.setData(
            ["of": document, "edit": edit, "committedAt": FieldValue.serverTimestamp()],
            forDocument: firestore.document("edits/\(name)"))
        do {
            let receipt = try await batch.commit(until: .accepted)
            say("accepted \(id) edit \(edit)")
            return receipt
        } catch {
            say("failed \(id) edit \(edit): \(error)")
            return nil
        }
    }

    /// Tells what became of an accepted write, when it is known.
    private static func tell(_ receipt: WriteReceipt, _ edit: String) async {
        do {
            try await receipt.committed()
            say("committed \(edit)")
        } catch {
            say("lost \(edit): \(error)")
        }
    }

    /// Prints a line at once, also into a pipe.
    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count)
    }
}
