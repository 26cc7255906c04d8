/// Runs a pattern over a text: all its threads together, one character at a time.
///
///     time = O(characters x instructions), whatever the pattern
///
/// Threads stand in the order of preference, so the first to finish is the match that a
/// backtracking matcher would find.
struct PatternMatcher {
    /// Where a group was found: places 2 n and 2 n + 1 are the edges of group n; -1 if not found.
    typealias Places = [Int]

    private struct Thread {
        let instruction: Int
        let places: Places
    }

    let pattern: Pattern
    let text: [Unicode.Scalar]
    /// Steps that may still be made; at 0 every search fails, and whoever asked must look.
    private(set) var work: Int

    init(_ pattern: Pattern, _ text: String, work: Int) {
        self.pattern = pattern
        self.text = Array(text.unicodeScalars)
        self.work = work
    }

    /// Whether the pattern matches the whole text.
    mutating func matchesWhole() -> Bool {
        run(from: 0, isWhole: true) != nil
    }

    /// Whether the pattern matches anything in the text. Ends at the first match.
    mutating func matchesAnywhere() -> Bool {
        run(from: 0, isWhole: false, isTest: true) != nil
    }

    /// The first match at or behind a place.
    mutating func first(from start: Int) -> Places? {
        run(from: start, isWhole: false)
    }

    private mutating func run(from start: Int, isWhole: Bool, isTest: Bool = false) -> Places? {
        let placeCount = isWhole || isTest ? 0 : (pattern.groupCount + 1) * 2
        let empty = Places(repeating: -1, count: placeCount)
        let isAnchored = isWhole || pattern.isAnchored
        var current: [Thread] = []
        var next: [Thread] = []
        var seen = [Int](repeating: -1, count: pattern.instructions.count)
        var found: Places?
        var place = start
        while place <= text.count {
            if found == nil, !isAnchored || place == start {
                add(0, empty, at: place, to: &current, &seen)
            }
            if current.isEmpty, found != nil || isAnchored { break }
            next.removeAll(keepingCapacity: true)
            for thread in current {
                work -= 1
                guard work > 0 else { return nil }
                switch pattern.instructions[thread.instruction] {
                case .take(let set):
                    work -= set.rangeCount / 8
                    guard place < text.count, set.contains(text[place]) else { continue }
                    add(thread.instruction + 1, thread.places, at: place + 1, to: &next, &seen)
                case .finish where !isWhole || place == text.count:
                    found = thread.places
                case .finish, .split, .jump, .save, .check:
                    continue
                }
                // Threads behind a finished thread have a lower priority.
                if found != nil, case .finish = pattern.instructions[thread.instruction] { break }
            }
            if isTest, found != nil { break }
            swap(&current, &next)
            place += 1
        }
        return found
    }

    /// Adds a thread, and all that it becomes without taking a character.
    private mutating func add(
        _ start: Int, _ places: Places, at place: Int, to threads: inout [Thread],
        _ seen: inout [Int]
    ) {
        var stack: [(instruction: Int, places: Places)] = [(start, places)]
        while let (instruction, places) = stack.popLast() {
            work -= 1
            guard work > 0, seen[instruction] != place else { continue }
            seen[instruction] = place
            switch pattern.instructions[instruction] {
            case .jump(let target): stack.append((target, places))
            case .split(let first, let second):
                stack.append((second, places))
                stack.append((first, places))
            case .save(let index):
                var changed = places
                if index < changed.count { changed[index] = place }
                stack.append((instruction + 1, changed))
            case .check(let assertion):
                if holds(assertion, at: place) { stack.append((instruction + 1, places)) }
            case .take, .finish: threads.append(Thread(instruction: instruction, places: places))
            }
        }
    }

    private func holds(_ assertion: PatternNode.Assertion, at place: Int) -> Bool {
        switch assertion {
        case .textStart: place == 0
        case .textEnd: place == text.count
        case .lineStart: place == 0 || text[place - 1] == "\n"
        case .lineEnd: place == text.count || text[place] == "\n"
        case .wordEdge: isWordEdge(place)
        case .noWordEdge: !isWordEdge(place)
        }
    }

    private func isWordEdge(_ place: Int) -> Bool {
        let before = place > 0 && text[place - 1].isWord
        let after = place < text.count && text[place].isWord
        return before != after
    }
}
