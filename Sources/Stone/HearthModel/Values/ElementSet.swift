/// A set of array elements that finds an element without a look at every element.
struct ElementSet {
    private let dialect: Dialect
    private var strict: Set<Value> = []
    private var equivalent: Set<EquivalentValue> = []

    /// Holds elements; elements that the dialect holds equal count once. O(n).
    init(_ elements: [Value], _ dialect: Dialect) {
        self.dialect = dialect
        for element in elements { insert(element) }
    }

    /// Adds an element; returns whether there was none like it.
    @discardableResult
    mutating func insert(_ element: Value) -> Bool {
        switch dialect {
        case .cache: strict.insert(element).inserted
        case .backend: equivalent.insert(EquivalentValue(element)).inserted
        }
    }

    /// Whether there is an element like this one.
    func contains(_ element: Value) -> Bool {
        switch dialect {
        case .cache: strict.contains(element)
        case .backend: equivalent.contains(EquivalentValue(element))
        }
    }
}
