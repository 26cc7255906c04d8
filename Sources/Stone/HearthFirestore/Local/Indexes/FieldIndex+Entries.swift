package import HearthModel

extension FieldIndex {
    /// The bytes under which a document with these fields is listed, without its key.
    ///
    /// - Returns: One for each different element of the listed array, else one; none if a field is
    ///   missing.
    package func entries(of fields: MapValue) -> [[UInt8]] {
        var heads = [IndexValueWriter()]
        for segment in segments {
            guard let value = fields[segment.field] else { return [] }
            guard segment.kind == .contains else {
                for index in heads.indices { heads[index].append(value, segment.kind) }
                continue
            }
            // Only one segment lists an array, so there is one head until here.
            guard let elements = value.arrayElements, let head = heads.first else { return [] }
            heads = elements.map { element in
                var writer = head
                writer.append(element, .contains)
                return writer
            }
        }
        if heads.count < 2 { return heads.map(\.bytes) }
        return Array(Set(heads.map(\.bytes)))
    }
}
