/// Asks again and again until the answer is what it should be.
///
/// - Throws: `TooLate` after half a minute, with the last answer.
package func eventually<Value: Sendable>(
    _ value: () async throws -> Value, is isRight: (Value) -> Bool
) async throws -> Value {
    let deadline = ContinuousClock.now + .seconds(30)
    while true {
        let last = try await value()
        if isRight(last) { return last }
        guard ContinuousClock.now < deadline else { throw TooLate(last: "\(last)") }
        try await Task.sleep(for: .milliseconds(20))
    }
}

/// A condition did not come to hold.
package struct TooLate: Error {
    /// The last answer.
    package let last: String

    /// Gives up with the last answer.
    package init(last: String) {
        self.last = last
    }
}

extension AsyncIteratorProtocol {
    /// The first element from here on that is what is waited for.
    ///
    /// A test that waits for ever is ended by its time limit.
    package mutating func first(where isRight: (Element) -> Bool) async throws -> Element {
        while let element = try await next() {
            if isRight(element) { return element }
        }
        throw TooLate(last: "the end of the sequence")
    }
}
