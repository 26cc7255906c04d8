import HearthModel
import Testing

struct FieldFilterTests {
    private func matches(
        _ op: FieldFilter.Operator, _ operand: Value, _ value: Value, _ dialect: Dialect = .cache
    ) -> Bool {
        FieldFilter(field: field("a"), op: op, value: operand).matches(value, dialect)
    }

    @Test func `inequalities match the operand's type only`() {
        #expect(matches(.greaterThan, .integer(1), .double(1.5)))
        #expect(!matches(.greaterThan, .integer(1), .string("z")))
        #expect(matches(.lessThanOrEqual, .string("b"), .string("b")))
        #expect(!matches(.lessThan, .string("b"), .string("b")))
        #expect(matches(.greaterThanOrEqual, .vector([1]), .vector([0, 0])))
        #expect(!matches(.greaterThanOrEqual, .vector([1]), map([:])))
    }

    @Test(arguments: [Dialect.cache, .backend])
    func `comparisons see numbers, whatever their type`(dialect: Dialect) {
        #expect(matches(.equal, .integer(1), .double(1), dialect))
        #expect(matches(.equal, .double(-0.0), .integer(0), dialect))
        #expect(!matches(.notEqual, .integer(1), .double(1), dialect))
        #expect(matches(.equal, .array([.integer(1)]), .array([.double(1)]), dialect))
    }

    @Test func `a comparison with a list is one with each of its values`() {
        func alternatives(_ op: FieldFilter.Operator, _ operand: Value) -> [FieldFilter]? {
            FieldFilter(field: field("a"), op: op, value: operand).alternatives
        }
        let list = Value.array([.integer(1), .string("b")])
        for (op, single) in [
            (FieldFilter.Operator.isIn, FieldFilter.Operator.equal),
            (.arrayContainsAny, .arrayContains),
        ] {
            #expect(
                alternatives(op, list) == [
                    FieldFilter(field: field("a"), op: single, value: .integer(1)),
                    FieldFilter(field: field("a"), op: single, value: .string("b")),
                ])
            #expect(alternatives(op, .integer(1)) == [])
        }
        #expect(alternatives(.isNotIn, list) == nil)
        #expect(alternatives(.equal, list) == nil)
    }

    @Test func `lists are strict in the cache and numeric in the backend`() {
        let lists: [(FieldFilter.Operator, Value, Value)] = [
            (.isIn, .array([.integer(1)]), .double(1)),
            (.arrayContains, .integer(1), .array([.double(1)])),
            (.arrayContainsAny, .array([.integer(1)]), .array([.double(1)])),
        ]
        for (op, operand, value) in lists {
            #expect(!matches(op, operand, value, .cache), "\(op)")
            #expect(matches(op, operand, value, .backend), "\(op)")
        }
        #expect(matches(.isNotIn, .array([.integer(1)]), .double(1), .cache))
        #expect(!matches(.isNotIn, .array([.integer(1)]), .double(1), .backend))
    }

    @Test func `the cache finds null and NaN by comparison, the backend does not`() {
        let cases: [(FieldFilter.Operator, Value, Value)] = [
            (.equal, .null, .null), (.equal, .double(.nan), .double(.nan)),
            (.isIn, .array([.null]), .null), (.isIn, .array([.double(.nan)]), .double(.nan)),
            (.arrayContains, .null, .array([.null])),
            (.arrayContainsAny, .array([.double(.nan)]), .array([.double(.nan)])),
            (.lessThanOrEqual, .double(.nan), .double(.nan)), (.greaterThanOrEqual, .null, .null),
            (.notEqual, .null, .integer(1)),
        ]
        for (op, operand, value) in cases {
            #expect(matches(op, operand, value, .cache), "\(op) \(operand)")
            #expect(!matches(op, operand, value, .backend), "\(op) \(operand)")
        }
        #expect(!matches(.notEqual, .double(.nan), .double(.nan), .cache))
        #expect(matches(.notEqual, .double(.nan), .double(.nan), .backend))
        #expect(!matches(.isNotIn, .array([.double(.nan)]), .double(.nan), .cache))
        #expect(matches(.isNotIn, .array([.double(.nan)]), .double(.nan), .backend))
    }

    @Test(arguments: [Dialect.cache, .backend])
    func `NaN is neither less nor more than a number`(dialect: Dialect) {
        for op in [
            FieldFilter.Operator.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual,
        ] {
            #expect(!matches(op, .integer(1), .double(.nan), dialect), "\(op)")
        }
    }

    @Test(arguments: [Dialect.cache, .backend])
    func `negations never match null, and any other type`(dialect: Dialect) {
        #expect(!matches(.notEqual, .integer(1), .null, dialect))
        #expect(matches(.notEqual, .integer(1), .string("x"), dialect))
        #expect(!matches(.isNotIn, .array([.integer(1)]), .null, dialect))
        #expect(matches(.isNotIn, .array([.integer(1)]), .array([]), dialect))
        #expect(!matches(.isNotIn, .array([.integer(1), .null]), .integer(2), dialect))
    }

    @Test func `array filters match arrays only`() {
        #expect(matches(.arrayContains, .integer(1), .array([.null, .integer(1)])))
        #expect(!matches(.arrayContains, .integer(1), .integer(1)))
        #expect(!matches(.arrayContains, .double(1), .vector([1])))
        #expect(
            matches(
                .arrayContainsAny, .array([.integer(7), .string("x")]), .array([.string("x")])))
        #expect(!matches(.arrayContainsAny, .array([.integer(7)]), .array([])))
        #expect(!matches(.arrayContainsAny, .integer(7), .array([.integer(7)])))
        #expect(!matches(.isIn, .integer(7), .integer(7)))
        #expect(!matches(.isNotIn, .integer(7), .integer(8)))
    }

    @Test func `an absent field matches nothing, not even a negation`() {
        let document = found("c/a", ["b": .integer(1)])
        for op in FieldFilter.Operator.allCases {
            for operand in [Value.null, .integer(1), .array([.integer(1)])] {
                let filter = Filter.field(field("a"), op, operand)
                #expect(!filter.matches(document, .cache) && !filter.matches(document, .backend))
            }
        }
    }

    @Test func `the key is compared with references, by number where it is numeric`() {
        func keyMatches(_ op: FieldFilter.Operator, _ operand: Value, _ name: String) -> Bool {
            Filter.field(.documentID, op, operand).matches(found(name, [:]), .cache)
        }
        #expect(keyMatches(.equal, reference("c/a"), "c/a"))
        #expect(!keyMatches(.equal, reference("c/b"), "c/a"))
        #expect(!keyMatches(.equal, .string("c/a"), "c/a"))
        #expect(keyMatches(.notEqual, reference("c/b"), "c/a"))
        #expect(!keyMatches(.notEqual, .string("c/b"), "c/a"))
        #expect(keyMatches(.lessThan, reference("c/__id10__"), "c/__id7__"))
        #expect(keyMatches(.greaterThan, reference("c/__id10__"), "c/10"))
        #expect(keyMatches(.lessThanOrEqual, reference("c/a"), "c/a"))
        #expect(keyMatches(.greaterThanOrEqual, reference("c/a"), "c/a"))
        #expect(keyMatches(.isIn, .array([.null, reference("c/a")]), "c/a"))
        #expect(!keyMatches(.isIn, .array([reference("c/b")]), "c/a"))
        #expect(keyMatches(.isNotIn, .array([reference("c/b")]), "c/a"))
        #expect(!keyMatches(.isNotIn, .array([reference("c/a")]), "c/a"))
        #expect(!keyMatches(.isNotIn, .array([.null]), "c/a"))
        #expect(!keyMatches(.arrayContains, reference("c/a"), "c/a"))
        #expect(!keyMatches(.arrayContainsAny, .array([reference("c/a")]), "c/a"))
    }

    @Test func `six operators are inequalities`() {
        let inequalities: Set<FieldFilter.Operator> = [
            .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .isNotIn,
        ]
        for op in FieldFilter.Operator.allCases {
            let filter = FieldFilter(field: field("a"), op: op, value: .null)
            #expect(filter.isInequality == inequalities.contains(op), "\(op)")
        }
    }
}
