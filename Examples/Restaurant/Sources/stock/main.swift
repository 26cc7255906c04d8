// The stock counter shows how many plates of each dish are left, and goes on until it is stopped:
//
//     stock
//     stock DISH COUNT

import Glibc
import Hearth
import Restaurant

/// With fewer plates than this, somebody should buy more.
let enough = 3

let db = Firestore.firestore()
let words = Array(CommandLine.arguments.dropFirst())
do {
    if words.count == 2, let count = Int(words[1]) {
        try await db.stock.document(words[0]).setData(["left": count], until: .accepted)
        exit(0)
    }
    for try await snapshot in db.stock.snapshots {
        for change in snapshot.documentChanges where change.type != .removed {
            let left = change.document["left"] as? Int ?? 0
            say("\(change.document.documentID): \(left) left\(left < enough ? ", buy more" : "")")
        }
    }
} catch {
    fail(error)
}
