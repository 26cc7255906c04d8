/// The path and parameters of a request's first line, decoded.
package struct HTTPTarget: Equatable, Sendable {
    /// The path's parts between slashes; empty ones too.
    package let segments: [String]
    /// Names and values in their order.
    package let parameters: [Parameter]

    /// One `name=value` after the question mark.
    package struct Parameter: Equatable, Sendable {
        /// The text before the equals sign.
        package let name: String
        /// The text behind the equals sign; empty without an equals sign.
        package let value: String
    }

    /// Reads a target such as `/v1/a%20b?c=d`.
    ///
    /// - Returns: `nil` if the path does not begin with a slash, or if percent-encoded bytes are no
    ///   UTF-8.
    package init?(_ text: String) {
        let halves = text.utf8.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = halves.first.flatMap({ Self.decode($0, plusIsSpace: false) }),
            path.utf8.first == UInt8(ascii: "/")
        else { return nil }
        segments = path.utf8.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
        ).map { String(Substring($0)) }
        var parameters: [Parameter] = []
        if halves.count > 1 {
            for pair in halves[1].split(separator: UInt8(ascii: "&")) {
                let parts = pair.split(
                    separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                guard let name = Self.decode(parts[0], plusIsSpace: true),
                    let value = Self.decode(
                        parts.count > 1 ? parts[1] : "".utf8[...], plusIsSpace: true)
                else { return nil }
                parameters.append(Parameter(name: name, value: value))
            }
        }
        self.parameters = parameters
    }

    /// The value of the first parameter of a name.
    package func parameter(_ name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// Decodes percent-encoded bytes; `nil` if the bytes are no UTF-8, or a `%` has no two digits.
    package static func decode(_ text: some Sequence<UInt8>, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next(), let low = rest.next(),
                    let byte = PercentEscape.decode(high, low)
                else { return nil }
                bytes.append(byte)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
