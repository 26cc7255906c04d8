/// A map whose names are told apart by their bytes, as both databases do.
///
/// A dictionary of Swift takes two spellings of "é" for one name, and keeps one of the two values.
package struct SpelledMap: Sendable {
    /// One entry of a map.
    package struct Field: Sendable {
        /// The name.
        package let name: String
        /// The value.
        package let value: any Sendable

        /// Gives a value a name.
        package init(_ name: String, _ value: any Sendable) {
            self.name = name
            self.value = value
        }
    }

    /// The entries; no two names have the same bytes.
    package let fields: [Field]

    /// A map of entries, of which no two names have the same bytes.
    package init(_ fields: [Field]) {
        self.fields = fields
    }

    /// The entries as a dictionary: of names that Swift takes for one, the first remains.
    package var dictionary: [String: any Sendable] {
        Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// A dictionary, or the map itself if a dictionary would lose an entry.
    package var simplest: any Sendable {
        let dictionary = dictionary
        return dictionary.count == fields.count ? dictionary : self
    }
}
