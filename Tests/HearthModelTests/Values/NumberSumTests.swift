import HearthModel
import Testing

/// What Google's emulator 1.19.9 answers to sums and means, in whatever order the documents lie.
struct NumberSumTests {
    private static let most = Value.integer(.max)

    @Test(
        arguments: [
            ([most, most, .integer(-.max)], most, 3.0744573456182584e18),
            ([most, .integer(1), .integer(-1)], most, 3.0744573456182584e18),
            ([most, .integer(1)], .double(9.223372036854776e18), 4.611686018427388e18),
            ([most, .double(1)], .double(9.223372036854776e18), 4.611686018427388e18),
            (
                [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7].map(Value.double), .double(2.8),
                0.39999999999999997
            ),
            (
                [.integer(9_007_199_254_740_993), .integer(1)], .integer(9_007_199_254_740_994),
                4503599627370497
            ),
            (
                [.integer(9_007_199_254_740_993), .double(0)], .double(9_007_199_254_740_992),
                4503599627370496
            ),
            ([.double(-0.0)], .double(0), 0),
            ([.integer(1), .null, .string("2"), .boolean(true)], .integer(1), 1),
            ([.integer(1), .double(.infinity)], .double(.infinity), .infinity),
        ] as [([Value], Value, Double)])
    func `a sum and a mean are those of Google's emulator`(
        values: [Value], sum: Value, mean: Double
    ) {
        for order in [values, values.reversed(), values.sorted { $0.isNumber && !$1.isNumber }] {
            #expect(NumberSum(of: order).value == sum)
            #expect(NumberSum(of: order).mean == .double(mean))
        }
    }

    @Test func `what is not a number poisons, and nothing has no mean`() {
        for order in [
            [Value.double(.nan), .integer(1)], [.double(.infinity), .double(-.infinity)],
        ] {
            #expect(NumberSum(of: order).value == .double(.nan))
        }
        #expect(NumberSum().value == .integer(0))
        #expect(NumberSum().mean == .null)
    }

    @Test func `small fractions beside a great number are not lost`() {
        let values = [Value.double(1e16), .double(1), .double(1), .double(-1e16)]
        #expect(NumberSum(of: values).value == .double(2))
    }
}
