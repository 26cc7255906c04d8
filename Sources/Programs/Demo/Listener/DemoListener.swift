import Glibc
import Hearth

/// A program that listens: to the subdivisions of one country, ordered by name.
///
///     DemoListener COUNTRY
///
/// It prints each snapshot with its changes. For each edit in a snapshot the program makes a note
/// in `demo/seen`, and `DemoWriter` listens to that document: so each program sees the other's
/// writes. The daemon's socket is in `$HEARTH_SOCKET`; with `$HEARTH_LOGGING` the library tells
/// what it does.
@main
struct DemoListener {
    static func main() async throws {
        guard let country = CommandLine.arguments.dropFirst().first else {
            say("usage: DemoListener COUNTRY")
            exit(64)
        }
        Firestore.enableLogging(getenv("HEARTH_LOGGING") != nil)
        let firestore = Firestore.firestore()
        let query = firestore.collection("subdivisions")
            .whereField("country", isEqualTo: country).order(by: "name")
        let seen = firestore.document("demo/seen")
        var number = 0
        var noted: [String: Int] = [:]
        for try await snapshot in query.snapshots(includeMetadataChanges: true) {
            number += 1
            let changes = snapshot.documentChanges(includeMetadataChanges: true)
            say(
                "snapshot \(number): \(snapshot.count) documents, \(changes.count) changed, "
                    + "isFromCache \(snapshot.metadata.isFromCache), "
                    + "hasPendingWrites \(snapshot.metadata.hasPendingWrites)")
            for change in changes { say("  \(line(change))") }
            for change in changes where change.type == .modified {
                let id = change.document.documentID
                guard let edit = change.document["edit"] as? Int, noted[id] != edit else {
                    continue
                }
                noted[id] = edit
                try await seen.setData(["id": id, "edit": edit], until: .accepted)
            }
        }
    }

    private static func line(_ change: DocumentChange) -> String {
        let sign =
            switch change.type {
            case .added: "+"
            case .modified: "~"
            case .removed: "-"
            }
        let document = change.document
        let name = document["name"] as? String ?? "?"
        let edit = (document["edit"] as? Int).map { " edit \($0)" } ?? ""
        let state = document.metadata.hasPendingWrites ? "pending" : "committed"
        return "\(sign) \(document.documentID) \"\(name)\"\(edit) \(state)"
    }

    /// Prints a line at once, also into a pipe.
    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count)
    }
}
