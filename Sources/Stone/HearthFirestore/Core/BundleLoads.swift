import HashTreeCollections
import HearthEngine
import HearthModel

/// The bundles on their way into the cache. The bundles take turns, a slice each, so that a short bundle does
/// not wait for a long bundle.
///
/// If several bundles have the same place, the first bundle goes on, and the others wait for the
/// end of the first.
struct BundleLoads: Sendable {
    private var loads: [BundleLoad] = []
    /// The bundle whose turn is next, if the bundle need not wait.
    private var nextIndex = 0

    /// No bundle is on its way.
    init() {}

    /// Whether no bundle is on its way.
    var isEmpty: Bool { loads.isEmpty }

    /// Everybody who waits for the end of a bundle.
    var waiters: [RequestID] { loads.filter { !$0.isCut }.compactMap(\.id) }

    /// The progress of the bundles whose load goes on: a part is in the cache, and somebody wants
    /// the rest.
    var progress: [BundleLoading] { loads.filter { $0.hasBegun && !$0.isCut }.map(\.progress) }

    /// Whether a view has not been told of all that the cache has.
    func lack(_ view: ViewID) -> Bool { loads.contains { $0.lacks(view) } }

    /// What views have not been told of.
    var untoldKeys: Set<DocumentKey> { loads.reduce(into: []) { $0.formUnion($1.untold.keys) } }

    /// What views have not been told of documents that the backend names now.
    ///
    /// - Parameter changed: Documents that the backend has told in a newer version.
    func untold(among named: [Document], besides changed: [Document]) -> [Document] {
        if loads.allSatisfy(\.untold.isEmpty) { return [] }
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

    /// Whether a bundle of a place is on its way.
    func contains(at place: ResourcePath) -> Bool { loads.contains { $0.place == place } }

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
    /// - Parameter concerning: The views that some of the documents concern. The load tells these
    ///   views at its end.
    mutating func stored(
        _ documents: [Document], concerning: [(id: ViewID, documents: [Document])], at index: Int,
        _ limits: BundleSlices
    ) {
        release(documents)
        let names = loads.reduce(0) { $0 + $1.keptNameCount }
        let views = loads.reduce(0) { $0 + $1.lackingViewCount }
        loads[index].hold(
            concerning, room: max(0, limits.keptNameCountMax - names),
            viewRoom: max(0, limits.lackingViewCountMax - views))
    }

    /// Takes the views of a bundle that are told next. See `BundleLoad`.
    mutating func nextTelling(
        at index: Int, _ limits: BundleSlices, among views: ViewTable
    ) -> [(id: ViewID, documents: [Document])] {
        loads[index].nextTelling(limits, among: views)
    }

    /// Views are told of documents as they are now.
    mutating func release(_ documents: [Document]) {
        for index in loads.indices { loads[index].release(documents) }
    }

    /// Some wait for the end no more. A bundle that the cache has whole comes to its end all the same.
    ///
    /// - Returns: The bundles whose load has begun and ends here. The cache keeps a part of each.
    mutating func cut(where leaves: (RequestID) -> Bool) -> [BegunBundle] {
        var begun: [BegunBundle] = []
        for index in loads.indices.reversed() where loads[index].id.map(leaves) ?? false {
            if loads[index].hasBegun, loads[index].isTaken {
                loads[index].leave()
            } else if let cut = cut(at: index) {
                begun.append(cut)
            }
        }
        return begun
    }

    /// Gives up the bundle whose turn it is.
    ///
    /// - Returns: Who waited for the end, and the bundle if the cache keeps a part of the bundle; `nil` if the bundle
    ///   was given up before, or there is none.
    mutating func cutNext() -> (id: RequestID?, begun: BegunBundle?)? {
        guard let index = next(), !loads[index].isCut else { return nil }
        let id = loads[index].id
        return (id, cut(at: index))
    }

    /// - Returns: The bundle, if the cache keeps a part of the bundle and that is news.
    private mutating func cut(at index: Int) -> BegunBundle? {
        guard loads[index].hasBegun else {
            _ = remove(at: index)
            return nil
        }
        if loads[index].isCut { return nil }
        let begun = loads[index].note
        loads[index].cut()
        return begun
    }

    private func mustWait(_ index: Int) -> Bool {
        let place = loads[index].place
        return loads[..<index].contains { $0.place == place }
    }
}
