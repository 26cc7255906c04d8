import HearthModel
import HearthRPC

/// What a page asks, read from the request's address and body.
struct ConsoleQuestion: Sendable {
    private let target: HTTPTarget
    /// The body, if the route takes one.
    let body: JSONValue?

    /// A question whose body was read.
    init(_ target: HTTPTarget, body: JSONValue? = nil) {
        self.target = target
        self.body = body
    }

    /// The text of a parameter or a member of the body; `nil` if it is not there.
    func text(_ name: String) -> String? {
        target.parameter(name) ?? body?[name]?.string
    }

    /// The same where the question needs it.
    func needed(_ name: String) throws(HearthError) -> String {
        guard let text = text(name) else { throw .argument("The request lacks \"\(name)\".") }
        return text
    }

    /// A whole number; `nil` if it is not there.
    func number(_ name: String) throws(HearthError) -> Int64? {
        if let number = body?[name]?.integer { return number }
        guard let text = target.parameter(name) else { return nil }
        guard let number = Int64(text) else { throw .argument("\"\(name)\" is no number.") }
        return number
    }

    /// How many lines the page wants.
    func pageSize() throws(HearthError) -> Int {
        let size = try number("pageSize") ?? Int64(ConsoleLimits.pageSize)
        guard size > 0 else { throw .argument("\"pageSize\" is 1 or more.") }
        return Int(min(size, Int64(ConsoleLimits.pageSizeMax)))
    }

    /// JSON, as a member of the body or as the text of a parameter.
    func json(_ name: String) throws(HearthError) -> JSONValue? {
        if let json = body?[name] { return json }
        guard let text = target.parameter(name) else { return nil }
        do throws(JSONError) {
            return try JSONReader.read(Array(text.utf8))
        } catch {
            throw .argument("\"\(name)\": \(error)")
        }
    }
}
