import HashTreeCollections
import HearthEngine
import HearthModel

/// The bundles on their way into the cache. The bundles take turns, a slice each, so that a short bundle does
/// not wait for a long bundle.
///
/// Of bundles with one place the first bundle goes on, and the other bundles wait for its end.
struct BundleLoads: Sendable {
    private var loads: [BundleLoad] = []
    /// The bundle whose turn is next, if the bundle need not wait.
    private var nextIndex = 0

    /// No bundle is on its way.
    init() {}

    /// Whether no bundle is on its way.
    var isEmpty: Bool { loads.isEmpty }

    /// Everybody who waits for the end of a bundle.
    var waiters: [RequestID] { loads.filter { !$0.isCut }.map(\.id) }

    /// Whether views have been told of all that the cache has.
    var areTold: Bool { loads.allSatisfy(\.untold.isEmpty) }

    /// What views have not been told of.
    var untoldKeys: Set<DocumentKey> { loads.reduce(into: []) { $0.formUnion($1.untold.keys) } }

    /// What views have not been told of documents that the backend names now.
    ///
    /// - Parameter changed: Documents that the backend has told in a newer version.
    func untold(among named: [Document], besides changed: [Document]) -> [Document] {
        if areTold { return [] }
        let newer = Set(changed.map(\.key))
        return named.map(\.key).filter { !newer.contains($0) }.compactMap { key in
            loads.lazy.compactMap { $0.untold[key] }.first
        }
    }

    /// A bundle by its index.
    subscript(index: Int) -> BundleLoad {
        get { loads[index] }
        set { loads[index] = newValue }
    }

    /// Adds a bundle.
    ///
    /// - Returns: The index; `nil` if the bundle waits for another one.
    mutating func add(_ load: BundleLoad) -> Int? {
        loads.append(load)
        return mustWait(loads.count - 1) ? nil : loads.count - 1
    }

    /// The bundle whose turn it is; `nil` if there are none.
    mutating func next() -> Int? {
        for offset in loads.indices {
            let index = (nextIndex + offset) % loads.count
            if mustWait(index) { continue }
            nextIndex = index + 1
            return index
        }
        return nil
    }

    /// Takes a bundle away.
    mutating func remove(at index: Int) -> BundleLoad {
        if index < nextIndex { nextIndex -= 1 }
        return loads.remove(at: index)
    }

    /// Documents have gone into the cache with a slice.
    ///
    /// - Parameter concerning: Which of them concern a view, and are told of at the end.
    mutating func stored(_ documents: [Document], concerning: [Document], at index: Int) {
        release(documents)
        loads[index].hold(concerning)
    }

    /// Views are told of documents as they are now.
    mutating func release(_ documents: [Document]) {
        for index in loads.indices { loads[index].release(documents) }
    }

    /// Some wait for the end no more.
    mutating func cut(where leaves: (RequestID) -> Bool) {
        for index in loads.indices.reversed() where leaves(loads[index].id) { cut(at: index) }
    }

    /// Gives up the bundle whose turn it is.
    ///
    /// - Returns: Who waited for the end, if anybody did.
    mutating func cutNext() -> RequestID? {
        guard let index = next(), !loads[index].isCut else { return nil }
        let id = loads[index].id
        cut(at: index)
        return id
    }

    private mutating func cut(at index: Int) {
        if loads[index].hasBegun {
            loads[index].cut()
        } else {
            _ = remove(at: index)
        }
    }

    private func mustWait(_ index: Int) -> Bool {
        let place = loads[index].place
        return loads[..<index].contains { $0.place == place }
    }
}
