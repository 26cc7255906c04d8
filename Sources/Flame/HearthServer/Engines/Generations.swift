/// A bounded memory that keeps what was asked for lately.
///
/// Two generations bound the memory: the young one fills, then takes the place of the old; what is
/// asked for in the old one becomes young again.
package struct Generations<Name: Hashable, Answer> {
    fileprivate struct Entry {
        let answer: Answer
        let byteCount: Int
    }

    fileprivate struct Generation {
        var entries: [Name: Entry] = [:]
        var byteCount = 0

        mutating func remove(_ name: Name) -> Entry? {
            guard let entry = entries.removeValue(forKey: name) else { return nil }
            byteCount -= entry.byteCount
            return entry
        }
    }

    private let generationByteCountMax: Int
    private var young = Generation()
    private var old = Generation()

    /// Remembers nothing yet.
    ///
    /// - Parameter byteCountMax: Of both generations.
    package init(byteCountMax: Int) { generationByteCountMax = byteCountMax / 2 }

    /// Whether nothing is remembered.
    package var isEmpty: Bool { young.entries.isEmpty && old.entries.isEmpty }

    /// Bytes of all that is remembered, as counted when it was inserted.
    package var byteCount: Int { young.byteCount + old.byteCount }

    /// The answer of a name, which stays remembered for longer.
    package mutating func find(_ name: Name) -> Answer? {
        if let entry = young.entries[name] { return entry.answer }
        guard let entry = old.remove(name) else { return nil }
        add(entry, name)
        return entry.answer
    }

    /// Remembers an answer in the place of an older one. What alone would fill the memory is not kept.
    ///
    /// - Parameter byteCount: What the answer and its name take.
    package mutating func insert(_ answer: Answer, of name: Name, byteCount: Int) {
        remove(name)
        guard byteCount <= generationByteCountMax else { return }
        add(Entry(answer: answer, byteCount: byteCount), name)
    }

    /// Forgets the answer of a name.
    package mutating func remove(_ name: Name) {
        _ = young.remove(name)
        _ = old.remove(name)
    }

    /// Forgets everything.
    package mutating func removeAll() {
        young = Generation()
        old = Generation()
    }

    private mutating func add(_ entry: Entry, _ name: Name) {
        if young.byteCount + entry.byteCount > generationByteCountMax {
            old = young
            young = Generation()
        }
        young.entries[name] = entry
        young.byteCount += entry.byteCount
    }
}

extension Generations: Sendable where Name: Sendable, Answer: Sendable {}
extension Generations.Generation: Sendable where Name: Sendable, Answer: Sendable {}
extension Generations.Entry: Sendable where Name: Sendable, Answer: Sendable {}
