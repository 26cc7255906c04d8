package import HearthModel

/// The fields of a document that a query has to see, by the first segments of their paths.
package struct FieldSelection: Sendable {
    private let names: [(text: String, bytes: [UInt8])]

    /// Selects what lies at or below the paths.
    package init(_ paths: some Sequence<FieldPath>) {
        let names = Set(paths.compactMap(\.segments.first).map { UTF8Text($0) }).sorted()
        self.names = names.map { ($0.string, Array($0.string.utf8)) }
    }

    /// How many fields are selected.
    package var count: Int { names.count }

    /// The selected name that has these bytes.
    func name(_ bytes: UnsafeRawBufferPointer) -> String? {
        names.first { $0.bytes.count == bytes.count && $0.bytes.elementsEqual(bytes) }?.text
    }
}
