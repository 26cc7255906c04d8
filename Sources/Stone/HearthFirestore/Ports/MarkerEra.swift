package import HearthModel

/// Where the markers lie from one batch of a user's queue on.
///
/// The engine sends a batch again as the engine sent the batch first: with the same marker or with
/// none, whatever is configured meanwhile. Otherwise two copies of a batch would not know of each
/// other. So a change begins with the first batch that was never sent.
package struct MarkerEra: Hashable, Sendable {
    /// The first batch.
    package let from: BatchID
    /// The collection of the markers; `nil` for none.
    package let collection: ResourcePath?

    /// Begins with a batch.
    package init(from batch: BatchID, in collection: ResourcePath?) {
        from = batch
        self.collection = collection
    }
}

extension MarkerEra {
    /// The eras as text: a line for each, `BATCH` or `BATCH PATH`.
    package static func text(of eras: [MarkerEra]) -> String {
        eras.map { era in
            era.collection.map { "\(era.from.rawValue) \($0.string)" } ?? "\(era.from.rawValue)"
        }.joined(separator: "\n")
    }

    /// Reads the eras; `nil` if the text is none of ours.
    package static func read(_ text: String) -> [MarkerEra]? {
        var eras: [MarkerEra] = []
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
            guard let number = parts.first.flatMap({ Int64(String(Substring($0))) }) else {
                return nil
            }
            var collection: ResourcePath?
            if parts.count == 2 {
                guard let path = try? ResourcePath(parsing: String(Substring(parts[1]))) else {
                    return nil
                }
                collection = path
            }
            eras.append(MarkerEra(from: BatchID(number), in: collection))
        }
        return eras
    }
}
