import HearthModel

/// Names with values beside an answer's messages.
///
/// Metadata stands in headers before the first message or in trailers after the last.
package struct CallMetadata: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    /// One name with its value.
    package struct Entry: Equatable, Sendable {
        /// The name in small letters. Names that end in `-bin` have values in Base64.
        package let name: String
        /// The value, in printable ASCII.
        package let value: String
    }

    /// The name under which a `google.rpc.Status` stands in the trailers.
    package static let statusDetails = "grpc-status-details-bin"

    /// The entries in the order in which they leave. A name may come more than once.
    package private(set) var entries: [Entry] = []

    /// No metadata.
    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    /// Whether there is no metadata.
    package var isEmpty: Bool { entries.isEmpty }

    /// Adds a text, whose characters must be printable ASCII.
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

    /// Whether HTTP or gRPC itself defines a header of this name.
    private static func isReserved(_ name: String) -> Bool {
        let isOfHTTP = name.hasPrefix(":") || ["", "te", "content-type"].contains(name)
        return isOfHTTP || (name.hasPrefix("grpc-") && name != statusDetails)
    }
}
