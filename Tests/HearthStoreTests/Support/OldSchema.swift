import Foundation
@testable import HearthSQLite
@testable import HearthStore

/// Brings files back to the form that earlier programs left.
enum OldSchema {
    /// Takes the ninth step back, and what came after. Effects that stand only in their batches
    /// become rows again, so the batches must have one write without precondition.
    static func takeBackNinthStep(_ connection: Connection) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let file = folder.appending(path: "ninth-step-back.sql")
        try connection.execute(String(contentsOf: file, encoding: .utf8))
    }
}
