import HearthEngine
import HearthModel

/// An order that outlives its program: an entry of a list in a file.
protocol StoredOrder: Hashable, Sendable {
    /// What is told of the orders.
    static var words: OrderWords { get }

    /// The order as a file has it; `nil` for an order that no file holds.
    var value: JSONValue? { get }
    /// The engine that the order is for.
    var key: EngineKey { get }
    /// Who gave the order: what the access rules ask of a program, without the process.
    var peer: Peer { get }

    /// Reads an order; `nil` if the value says none.
    init?(_ value: JSONValue)
}

/// What is told of the orders of one kind.
struct OrderWords: Sendable {
    /// The name of the file, in the folder of the databases.
    let fileName: String
    /// The orders as the subject of a sentence.
    let subject: String
    /// What a file is a list of.
    let things: String
    /// What the entries of a file are.
    let entries: String
    /// The key of the configuration that names the things which count without a file.
    let configurationKey: String
}
