import HashTreeCollections
import HearthModel

/// The documents that have changed in one place. Any number of surveys, begun at different times,
/// share the trail.
///
/// Each change has a number. A survey knows the number of the last change before the survey's order,
/// so a change is noted once, however many surveys are on their way. The trail has the latest
/// documents alone: whoever began before the trail's begin has missed too many.
struct ChangeTrail: Sendable {
    private let countMax: Int
    /// When each document changed last.
    private var numbers: TreeDictionary<DocumentKey, UInt64> = [:]
    private var keys: TreeDictionary<UInt64, DocumentKey> = [:]
    /// No number below is in `keys`.
    private var first: UInt64 = 1
    /// The last change that is not told apart any more.
    private var forgotten: UInt64 = 0
    /// The number of the last change; 0 if there was none.
    private(set) var last: UInt64 = 0
    /// How many surveys follow the trail.
    var surveyCount = 0

    /// Nothing has changed.
    ///
    /// - Parameter countMax: How many documents are told apart.
    init(countMax: Int) {
        self.countMax = countMax
    }

    /// Notes a document. Amortised O(log n).
    mutating func insert(_ key: DocumentKey) {
        last += 1
        if let earlier = numbers.updateValue(last, forKey: key) { keys[earlier] = nil }
        keys[last] = key
        while numbers.count > countMax { forgetFirst() }
    }

    /// Notes every document.
    mutating func insertAll() {
        last += 1
        numbers = [:]
        keys = [:]
        first = last + 1
        forgotten = last
    }

    /// The documents that have changed behind a number; `nil` if they are not told apart. O(n).
    func changes(after number: UInt64) -> [DocumentKey]? {
        guard number >= forgotten else { return nil }
        return numbers.compactMap { key, last in last > number ? key : nil }
    }

    private mutating func forgetFirst() {
        while first < last, keys[first] == nil { first += 1 }
        if let key = keys.removeValue(forKey: first) { numbers[key] = nil }
        forgotten = first
        first += 1
    }
}
