/// A page of those items of a long list that somebody means, such as the dead letters of one cause.
///
/// One question looks at a bounded part of the list, so a page may be short, or empty, though the list
/// goes on. The page then says where to look on.
struct SiftedPage<Item> {
    /// The items that are meant, in the order of the list.
    let items: [Item]
    /// The number behind which the next page begins; `nil` at the end of the list.
    let next: Int64?

    /// Looks for a page of items.
    ///
    /// - Parameters:
    ///   - start: The number behind which to begin; `nil` for the beginning of the list.
    ///   - size: How many items the page takes, 1 or more.
    ///   - lookedCountMax: At how many items to look.
    ///   - number: The number of an item, by which the list is sorted.
    ///   - read: Reads a part of the list behind a number, of a length at most.
    /// - Complexity: O(n) in the items that are looked at.
    static func find(
        after start: Int64?, size: Int, lookedCountMax: Int = ConsoleLimits.siftedCountMax,
        number: (Item) -> Int64, isMeant: ((Item) -> Bool)?,
        read: (Int64?, Int) async throws -> (items: [Item], hasMore: Bool)
    ) async throws -> SiftedPage {
        var found: [Item] = []
        var (after, lookedCount) = (start, 0)
        while lookedCount < lookedCountMax {
            let left = lookedCountMax - lookedCount
            let part = try await read(after, isMeant == nil ? min(size, left) : left)
            lookedCount += part.items.count
            for item in part.items where isMeant?(item) ?? true {
                if found.count == size {
                    return SiftedPage(items: found, next: found.last.map(number))
                }
                found.append(item)
            }
            guard part.hasMore, let last = part.items.last else {
                return SiftedPage(items: found, next: nil)
            }
            after = number(last)
            if found.count == size { break }
        }
        return SiftedPage(items: found, next: after)
    }
}
