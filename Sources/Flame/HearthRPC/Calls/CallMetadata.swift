import HearthModel

/// What an answer says beside its messages: names with values, in headers before the first message or in
/// trailers after the last.
package struct CallMetadata: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    /// One name with its value.
    package struct Entry: Equatable, Sendable {
        /// In small letters. Names that end in `-bin` have values in Base64.
        package let name: String
        /// Printable ASCII.
        package let value: String
    }

    /// In the order in which they leave. A name may come more than once.
    package private(set) var entries: [Entry] = []

    /// Nothing to say.
    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    /// Whether there is nothing to say.
    package var isEmpty: Bool { entries.isEmpty }

    /// Adds a text, whose characters are printable ASCII.
    package mutating func add(_ name: String, _ value: String) {
        precondition(!Self.isReserved(name), "\(name) is no name for a service to give")
        entries.append(Entry(name: name, value: value))
    }

    /// Adds bytes, for a name that ends in `-bin`.
    package mutating func add(_ name: String, bytes: [UInt8]) {
        precondition(name.hasSuffix("-bin"), "\(name) must end in -bin to hold bytes")
        add(name, Base64.encode(bytes))
    }

    /// The first value of a name; `nil` if there is none.
    package subscript(_ name: String) -> String? {
        entries.first { utf8Equals($0.name, name) }?.value
    }

    /// Whether HTTP or gRPC itself says what a header of this name is.
    private static func isReserved(_ name: String) -> Bool {
        let isOfHTTP = name.hasPrefix(":") || ["", "te", "content-type"].contains(name)
        return isOfHTTP || (name.hasPrefix("grpc-") && name != "grpc-status-details-bin")
    }
}
