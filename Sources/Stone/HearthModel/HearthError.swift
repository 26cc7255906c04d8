/// How a request failed: a code, and a message that names the event, the object and a remedy.
package struct HearthError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package let code: StatusCode
    /// One or two sentences for a person.
    package let message: String

    /// Takes a code, and a message that names the event, the object and a remedy.
    package init(code: StatusCode, message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(code.name): \(message)" }
}
