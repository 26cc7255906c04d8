// The till takes an order:
//
//     till TABLE DISH...

import Glibc
import Hearth
import Restaurant

let words = CommandLine.arguments.dropFirst()
guard let table = words.first.flatMap({ Int($0) }), words.count > 1 else {
    say("usage: till TABLE DISH...")
    exit(64)
}
let order = Order(table: table, dishes: Array(words.dropFirst()))

let db = Firestore.firestore()
let document = db.orders.document()
do {
    // The order and what it takes from the stock stand or fall together. An increment reads nothing,
    // so that tills which are offline at the same time add up all the same.
    let batch = db.batch()
    try batch.setData(from: order, forDocument: document)
    for dish in order.dishes {
        batch.setData(
            ["left": FieldValue.increment(Int64(-1))], forDocument: db.stock.document(dish),
            merge: true)
    }
    // Accepted: safe on this machine's disk and shown in its kitchen, with or without a network. The
    // till may be switched off now. In top-level code `until` must be said: see "Coming from Firebase".
    try await batch.commit(until: .accepted)
    say("table \(table): order \(document.documentID) is taken")
} catch {
    fail(error)
}
