import HearthModel
import HearthTestSupport
import Testing

struct OrderedTreeTests {
    private static let ascending: @Sendable (Int, Int) -> Int = { $0 - $1 }

    @Test func `an empty tree has nothing`() {
        var tree = OrderedTree<Int>()
        #expect(tree.count == 0)
        #expect(tree.first == nil && tree.last == nil)
        #expect(tree.index(of: 1, by: Self.ascending) == nil)
        tree.remove(1, by: Self.ascending)
        #expect(tree.elements.isEmpty)
    }

    @Test(arguments: 0..<6)
    func `random changes agree with a sorted array`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var tree = OrderedTree<Int>()
        var model: [Int] = []
        for _ in 0..<1_500 {
            let element = Int.random(in: 0..<300, using: &random)
            let place = model.firstIndex { $0 >= element } ?? model.count
            let isPresent = place < model.count && model[place] == element
            #expect(tree.index(of: element, by: Self.ascending) == (isPresent ? place : nil))
            if Bool.random(using: &random) {
                tree.insert(element, by: Self.ascending)
                if !isPresent { model.insert(element, at: place) }
            } else {
                tree.remove(element, by: Self.ascending)
                if isPresent { model.remove(at: place) }
            }
            #expect(tree.count == model.count)
            #expect(tree.first == model.first && tree.last == model.last)
            if let index = model.indices.randomElement(using: &random) {
                #expect(tree[index] == model[index])
            }
        }
        #expect(tree.elements == model)
    }

    @Test(arguments: ["rising", "falling", "random"])
    func `a tree of many elements grows and shrinks`(history: String) {
        var random = SeededGenerator(seed: 3)
        let count = 20_000
        var order = Array(0..<count)
        switch history {
        case "falling": order.reverse()
        case "random": order.shuffle(using: &random)
        default: break
        }
        var tree = OrderedTree<Int>()
        for element in order { tree.insert(element, by: Self.ascending) }
        #expect(tree.elements == Array(0..<count))
        let full = tree
        if history == "random" { order.shuffle(using: &random) }
        for (place, element) in order.enumerated() {
            tree.remove(element, by: Self.ascending)
            tree.remove(element, by: Self.ascending)
            guard place.isMultiple(of: 997) else { continue }
            let rest = order[(place + 1)...].sorted()
            #expect(tree.elements == rest)
            #expect(tree.first == rest.first && tree.last == rest.last)
            for index in stride(from: 0, to: rest.count, by: 501) {
                #expect(tree[index] == rest[index])
                var back: [Int] = []
                tree.walkBack(from: index) {
                    back.append($0)
                    return back.count < 40
                }
                #expect(back == rest[..<index].suffix(40).reversed())
            }
        }
        #expect(tree.count == 0 && tree.elements.isEmpty)
        #expect(full.elements == Array(0..<count))
    }

    @Test func `a tree of sorted elements has them all, whatever their number`() {
        for count in Array(0...2_000) + [29_790, 29_791] {
            let tree = OrderedTree(sorted: Array(0..<count))
            #expect(tree.count == count && tree.elements == Array(0..<count))
            let areFound = stride(from: 0, to: count, by: 1 + count / 40).allSatisfy {
                tree[$0] == $0 && tree.index(of: $0, by: Self.ascending) == $0
            }
            #expect(areFound)
        }
    }

    @Test func `a tree of sorted elements changes as any other`() {
        var random = SeededGenerator(seed: 5)
        for count in [1, 30, 31, 60, 61, 92, 460, 959, 960, 961, 1_500, 2_000] {
            var model = Array(stride(from: 0, to: 2 * count, by: 2))
            var tree = OrderedTree(sorted: model)
            for _ in 0..<800 {
                let element = Int.random(in: -1...2 * count, using: &random)
                let place = model.firstIndex { $0 >= element } ?? model.count
                let isPresent = place < model.count && model[place] == element
                if Bool.random(using: &random) {
                    tree.insert(element, by: Self.ascending)
                    if !isPresent { model.insert(element, at: place) }
                } else {
                    tree.remove(element, by: Self.ascending)
                    if isPresent { model.remove(at: place) }
                }
            }
            #expect(tree.elements == model)
            for element in model { tree.remove(element, by: Self.ascending) }
            #expect(tree.count == 0 && tree.elements.isEmpty)
        }
    }

    @Test func `a walk starts at any place and stops when told`() {
        let tree = OrderedTree(sorted: Array(0..<50))
        for start in [0, 1, 24, 25, 26, 49, 50, 60] {
            var visited: [Int] = []
            tree.walk(from: start) {
                visited.append($0)
                return visited.count < 7
            }
            #expect(visited == Array((0..<50).dropFirst(start).prefix(7)))
        }
    }

    @Test func `the first of those that a threshold admits is found`() {
        let tree = OrderedTree(sorted: Array(stride(from: 0, to: 100, by: 10)))
        for threshold in -5...105 {
            let expected = (0..<10).first { $0 * 10 >= threshold } ?? 10
            #expect(tree.firstIndex { $0 >= threshold } == expected)
        }
    }

    @Test func `a copy keeps what it was`() {
        var tree = OrderedTree(sorted: Array(0..<100))
        let before = tree
        for element in 0..<50 { tree.remove(element, by: Self.ascending) }
        for element in 100..<200 { tree.insert(element, by: Self.ascending) }
        #expect(before.elements == Array(0..<100))
        #expect(tree.elements == Array(50..<200))
    }

    @Test func `an element replaces its equal`() {
        let byTens: (Int, Int) -> Int = { $0 / 10 - $1 / 10 }
        var tree = OrderedTree(sorted: [1, 11, 21])
        tree.insert(15, by: byTens)
        #expect(tree.elements == [1, 15, 21])
        tree.remove(29, by: byTens)
        #expect(tree.elements == [1, 15])
    }

    @Test(arguments: ["rising", "falling", "inwards", "thinned"])
    func `a search takes few steps, whatever the history`(history: String) {
        var tree = OrderedTree<Int>()
        let count = 4_096
        switch history {
        case "rising": for n in 0..<count { tree.insert(n, by: Self.ascending) }
        case "falling": for n in (0..<count).reversed() { tree.insert(n, by: Self.ascending) }
        case "inwards":
            for n in 0..<count {
                tree.insert(n % 2 == 0 ? n : 2 * count - n, by: Self.ascending)
            }
        default:
            tree = OrderedTree(sorted: Array(0..<count * 2))
            for n in 0..<count { tree.remove(n, by: Self.ascending) }
        }
        #expect(tree.count == count)
        var deepest = 0
        for element in tree.elements {
            var steps = 0
            _ = tree.index(of: element) {
                steps += 1
                return $0 - $1
            }
            deepest = max(deepest, steps)
        }
        // A search takes a step more than a binary search for each level of nodes, of which there are
        // four, and one to compare what was found.
        #expect(deepest <= 20)
    }
}
