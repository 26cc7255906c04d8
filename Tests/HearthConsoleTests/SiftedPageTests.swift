import Testing

@testable import HearthConsole

/// Pages of the few batches that somebody means, of a queue with very many.
struct SiftedPageTests {
    /// A list of the numbers 1 to `count` that notes how many of them were read.
    private final class List {
        let count: Int64
        private(set) var readCount = 0

        init(count: Int64) { self.count = count }

        func read(_ after: Int64?, _ limit: Int) -> (items: [Int64], hasMore: Bool) {
            let start = (after ?? 0) + 1
            // The daemon may answer with fewer than were asked for.
            let end = min(count, start + Int64(min(limit, 300)) - 1)
            guard start <= end else { return ([], false) }
            readCount += Int(end - start + 1)
            return (Array(start...end), end < count)
        }

        func page(
            after start: Int64?, size: Int, isMeant: ((Int64) -> Bool)?
        ) async throws -> SiftedPage<Int64> {
            try await SiftedPage<Int64>.find(
                after: start, size: size, number: { $0 }, isMeant: isMeant
            ) { read($0, $1) }
        }
    }

    @Test func `a question for a rare cause looks at a bounded part, and says where to look on`()
        async throws
    {
        let list = List(count: 1_000_000)
        let page = try await list.page(after: nil, size: 50) { $0 == 1_500 }
        #expect(list.readCount == ConsoleLimits.siftedCountMax)
        #expect(page.items == [])
        #expect(page.next == 1_000)
        let next = try await list.page(after: page.next, size: 50) { $0 == 1_500 }
        #expect(next.items == [1_500])
        #expect(list.readCount == 2 * ConsoleLimits.siftedCountMax)
    }

    @Test func `pages have every item that is meant, each once`() async throws {
        let list = List(count: 5_000)
        var (found, after) = ([Int64](), Int64?.none)
        repeat {
            let page = try await list.page(after: after, size: 7) { $0.isMultiple(of: 3) }
            #expect(page.items.count <= 7)
            found += page.items
            after = page.next
        } while after != nil
        #expect(found == (1...5_000).filter { $0.isMultiple(of: 3) })
    }

    @Test func `a page of all is read once, and no further than the page`() async throws {
        let list = List(count: 5_000)
        let page = try await list.page(after: 10, size: 50, isMeant: nil)
        #expect(page.items == Array(11...60))
        #expect(page.next == 60)
        #expect(list.readCount == 50)
        let last = try await list.page(after: 4_950, size: 50, isMeant: nil)
        #expect(last.items.count == 50)
        #expect(last.next == nil)
    }
}
