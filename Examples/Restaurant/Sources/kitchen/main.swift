// The kitchen's display shows what is to be cooked, and goes on until it is stopped:
//
//     kitchen
//     kitchen ready ORDER

import Glibc
import Hearth
import Restaurant

let db = Firestore.firestore()
let words = Array(CommandLine.arguments.dropFirst())

/// One line for each change: an order that came, whose sending is done, or that left the display.
func show(_ change: DocumentChange) throws {
    let order = try change.document.data(as: Order.self)
    let dishes = order.dishes.joined(separator: ", ")
    let place = change.document.metadata.hasPendingWrites ? "on this machine" : "everywhere"
    switch change.type {
    case .added: say("+ \(change.document.documentID) table \(order.table): \(dishes), \(place)")
    case .modified: say("~ \(change.document.documentID) table \(order.table): \(dishes), \(place)")
    case .removed: say("- \(change.document.documentID) table \(order.table)")
    }
}

do {
    if words.count == 2, words[0] == "ready" {
        let state = Order.State.ready.rawValue
        try await db.orders.document(words[1]).updateData(["state": state], until: .accepted)
        exit(0)
    }
    let toCook = db.orders.whereField("state", isEqualTo: Order.State.ordered.rawValue)
    // No code for reconnecting: the loop goes on over restarts of the daemon and days offline, and
    // is told only what has changed. Changes of metadata tell when an order has been sent.
    for try await snapshot in toCook.snapshots(includeMetadataChanges: true) {
        for change in snapshot.documentChanges(includeMetadataChanges: true) { try show(change) }
    }
} catch {
    fail(error)
}
