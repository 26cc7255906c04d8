import HearthModel

/// The targets of one watch stream by the client's numbers. The table changes a target in place,
/// without a copy.
///
/// Most streams have one target, which is found without a search.
struct TargetTable: Sendable {
    /// The targets, in no order.
    private(set) var all: [GatewayTarget] = []
    private var places: [WireTargetID: Int] = [:]

    /// Where a target is until the next removal; `nil` if there is none of this name.
    func place(of id: WireTargetID) -> Int? {
        all.count == 1 ? (all[0].id == id ? 0 : nil) : places[id]
    }

    /// The target in a place.
    subscript(place: Int) -> GatewayTarget {
        get { all[place] }
        _modify { yield &all[place] }
    }

    /// The flags that a point sends when the point completes all pictures. O(targets).
    var marks: Marks {
        var marks = Marks(hasPendingWrites: false, isFromCache: false)
        for place in all.indices {  // A loop over the targets themselves would copy each.
            if all[place].hasPendingWrites { marks.hasPendingWrites = true }
            if all[place].isFromCache { marks.isFromCache = true }
        }
        return marks
    }

    /// Adds a target; its name must be free.
    mutating func insert(_ target: GatewayTarget) {
        precondition(places[target.id] == nil, "Target \(target.id) is there already")
        places[target.id] = all.count
        all.append(target)
    }

    /// Removes a target; the last target takes its place.
    @discardableResult
    mutating func remove(_ id: WireTargetID) -> GatewayTarget? {
        guard let place = places.removeValue(forKey: id) else { return nil }
        all.swapAt(place, all.count - 1)
        let target = all.removeLast()
        if place < all.count { places[all[place].id] = place }
        return target
    }
}
