import Foundation
@testable import HearthSQLite
@testable import HearthStore

/// Brings files back to the form that earlier programs left.
enum OldSchema {
    /// Makes the file of a store as a program with an earlier schema made it.
    @discardableResult
    static func make(_ configuration: StoreConfiguration, at version: Int) throws -> Connection {
        let connection = try Connection(path: configuration.path, isReadOnly: false)
        try Migrations(content: configuration.content).run(on: connection, to: version)
        return connection
    }

    /// Takes the ninth step back, and what came after. Effects that stand only in their batches
    /// become rows again, so the batches must have one write without precondition.
    static func takeBackNinthStep(_ connection: Connection) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let file = folder.appending(path: "ninth-step-back.sql")
        try connection.execute(String(contentsOf: file, encoding: .utf8))
    }
}
