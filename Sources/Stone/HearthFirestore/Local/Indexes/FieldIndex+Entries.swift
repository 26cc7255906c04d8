package import HearthModel

extension FieldIndex {
    /// The bytes that list a document with these fields in the index, without the document's key.
    ///
    /// - Returns: One entry for each different element of the listed array; one entry if no array
    ///   is listed; none if a field is missing.
    package func entries(of fields: MapValue) -> [[UInt8]] {
        var heads = [IndexValueWriter()]
        for segment in segments {
            guard let value = fields[segment.field] else { return [] }
            guard segment.kind == .contains else {
                for index in heads.indices { heads[index].append(value, segment.kind) }
                continue
            }
            // An index lists a single array at most, so there is a single head until here.
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
