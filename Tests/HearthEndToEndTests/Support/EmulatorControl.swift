import HearthTestSupport

/// What Google's emulator offers beside gRPC: rules, and transactions of another client.
struct EmulatorControl {
    private struct Refused: Error {
        let status: Int
        let body: String
    }

    private static let documents = "/v1/projects/demo/databases/(default)/documents"

    /// `HOST:PORT`.
    let address: String

    /// Makes these the security rules of the project.
    func setRules(_ rules: String) throws {
        let content = rules.replacing("\n", with: "\\n").replacing("\"", with: "\\\"")
        try call(
            "PUT", "/emulator/v1/projects/demo:securityRules",
            #"{"rules": {"files": [{"name": "firestore.rules", "content": "\#(content)"}]}}"#)
    }

    /// Begins a transaction that reads a document, and thereby holds it.
    ///
    /// - Returns: The transaction's name.
    func holdDocument(_ path: String) throws -> String {
        let begun = try call(
            "POST", "\(Self.documents):beginTransaction", #"{"options": {"readWrite": {}}}"#)
        let parts = begun.split(separator: "\"")
        guard let index = parts.firstIndex(of: "transaction"), index + 2 < parts.count else {
            throw Refused(status: 200, body: begun)
        }
        let transaction = String(parts[index + 2])
        try call(
            "POST", "\(Self.documents):batchGet",
            """
            {"documents": ["projects/demo/databases/(default)/documents/\(path)"],
             "transaction": "\(transaction)"}
            """)
        return transaction
    }

    /// Ends a transaction without a write.
    func rollBack(_ transaction: String) throws {
        try call("POST", "\(Self.documents):rollback", #"{"transaction": "\#(transaction)"}"#)
    }

    /// A document as the emulator has it, in its JSON.
    func document(_ path: String) throws -> String {
        try call("GET", "\(Self.documents)/\(path)", "")
    }

    @discardableResult
    private func call(_ method: String, _ path: String, _ body: String) throws -> String {
        let answer = try HTTPCall.send(
            method, path, at: address, authorization: "Bearer owner", body: body)
        guard answer.status == 200 else { throw Refused(status: answer.status, body: answer.text) }
        return answer.text
    }
}
