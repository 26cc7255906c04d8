extension Sequence where Element: Comparable {
    /// The least elements in their order, so many at most.
    ///
    /// - Complexity: O(n log `count`), with room for twice `count` elements.
    func least(_ count: Int) -> [Element] {
        guard count > 0 else { return [] }
        let room = count.multipliedReportingOverflow(by: 2)
        let roomCount = room.overflow ? Int.max : room.partialValue
        var kept: [Element] = []
        for element in self {
            kept.append(element)
            guard kept.count == roomCount else { continue }
            kept.sort()
            kept.removeLast(kept.count - count)
        }
        kept.sort()
        return Array(kept.prefix(count))
    }
}
