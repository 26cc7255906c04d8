package import HearthModel

/// Asks for the documents whose vectors lie nearest to a given one.
package struct NearestNeighbours: Hashable, Sendable {
    /// How distance is measured.
    package enum Measure: Hashable, Sendable {
        case euclidean, cosine
        /// Greater is nearer.
        case dotProduct
    }

    /// The most results that may be asked for.
    package static let limitMax = 1_000

    /// The field that holds the vectors.
    package let field: FieldPath
    /// How many numbers the vectors have.
    package var dimensionCount: Int { vector.count }
    private let vector: [Double]
    private let measure: Measure
    private let limit: Int
    private let resultField: FieldPath?
    private let threshold: Double?

    /// Checks a question.
    ///
    /// - Parameters:
    ///   - field: The field that holds the vectors.
    ///   - vector: The vector whose neighbours are asked for.
    ///   - measure: How distance is measured.
    ///   - limit: How many results, from 1 to 1,000.
    ///   - resultField: Where to put the distance in the results; `nil` for nowhere.
    ///   - threshold: The greatest distance; for the dot product the least. `nil` for no bound.
    /// - Throws: `HearthError` `invalidArgument` in the backend's own words.
    package init(
        field: FieldPath, vector: Value, measure: Measure, limit: Int?, resultField: FieldPath?,
        threshold: Double?
    ) throws(HearthError) {
        guard let limit, (1...Self.limitMax).contains(limit) else {
            throw .argument(
                "FindNearest.limit must be a positive integer of no more than \(Self.limitMax)")
        }
        guard let elements = vector.vectorElements, !elements.isEmpty,
            elements.allSatisfy(\.isNumber), elements.count <= ValueRules.vectorCountMax
        else {
            throw .argument(
                "FindNearest.query_vector must be a vector of 1 to \(ValueRules.vectorCountMax) "
                    + "numbers.")
        }
        if let resultField { try ValueRules.check(resultField) }
        self.field = field
        self.vector = elements.map(\.double)
        self.measure = measure
        self.limit = limit
        self.resultField = resultField
        self.threshold = threshold
    }

    /// The nearest of some documents, nearest first. Documents without such a vector are left out.
    func nearest(of documents: [Document]) -> [Document] {
        let measured = documents.compactMap { document -> (Document, Double)? in
            guard let elements = document[field]?.vectorElements, elements.count == vector.count
            else { return nil }
            let distance = distance(to: elements.map(\.double))
            return isNear(distance) ? (document, distance) : nil
        }
        let sorted = measured.enumerated().sorted { left, right in
            let (first, second) = (left.element.1, right.element.1)
            if first == second { return left.offset < right.offset }
            return measure == .dotProduct ? first > second : first < second
        }
        return sorted.prefix(limit).map { withDistance($0.element.0, $0.element.1) }
    }

    private func isNear(_ distance: Double) -> Bool {
        if distance.isNaN { return false }
        guard let threshold else { return true }
        return measure == .dotProduct ? distance >= threshold : distance <= threshold
    }

    private func distance(to other: [Double]) -> Double {
        func product(_ left: [Double], _ right: [Double]) -> Double {
            zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
        }
        switch measure {
        case .euclidean:
            let difference = zip(vector, other).map { $0 - $1 }
            return product(difference, difference).squareRoot()
        case .cosine:
            let lengths = (product(vector, vector) * product(other, other)).squareRoot()
            return 1 - product(vector, other) / lengths
        case .dotProduct:
            return product(vector, other)
        }
    }

    private func withDistance(_ document: Document, _ distance: Double) -> Document {
        guard let resultField else { return document }
        var fields = document.fields
        fields.set(resultField, to: .double(distance))
        return .found(document.key, at: document.version, fields, createdAt: document.createdAt)
    }

    /// The projection with the distance kept.
    func widened(_ projection: [FieldPath]) -> [FieldPath] {
        projection + (resultField.map { [$0] } ?? [])
    }
}

extension ReadView {
    /// Runs a query and keeps the results that are nearest to a vector.
    package func run(_ plan: QueryPlan, _ nearest: NearestNeighbours) -> QueryResults {
        let wanted = plan.query.limit.map { $0 + plan.query.offset }
        var candidates =
            matches(plan, wanted: wanted, plan.admits)[...].dropFirst(plan.query.offset)
        if let limit = plan.query.limit { candidates = candidates.prefix(limit) }
        var found = nearest.nearest(of: Array(candidates))
        if let projection = plan.query.projection {
            found = found.map { $0.keeping(nearest.widened(projection)) }
        }
        return QueryResults(
            documents: found, skippedCount: 0, scannedCount: candidates.count)
    }
}

extension Value {
    /// The number as a double; zero for a value that is no number.
    var double: Double {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .null, .boolean, .timestamp, .serverTimestamp, .string, .bytes, .reference, .geoPoint,
            .array, .map:
            0
        }
    }
}
