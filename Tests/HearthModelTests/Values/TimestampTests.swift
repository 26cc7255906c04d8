import HearthModel
import HearthTestSupport
import Testing

struct TimestampTests {
    @Test func `moments far outside of any calendar are told apart and moved without overflow`() {
        let first = Timestamp(seconds: .min, nanoseconds: 0)
        let last = Timestamp(seconds: .max, nanoseconds: 999_999_999)
        #expect(last.since(first) > .zero)
        #expect(first.since(last) < .zero)
        #expect(last.advanced(by: .seconds(2)) >= last.advanced(by: .zero - .seconds(2)))
        #expect(first.advanced(by: .zero - .nanoseconds(1)).seconds == .min)
        #expect(first.advanced(by: .nanoseconds(1)).nanoseconds == 1)
    }

    /// Facts from Python's `datetime`.
    @Test(
        arguments: [
            (-62_135_596_800, "0001-01-01T00:00:00Z"), (-11_670_998_400, "1600-02-29T00:00:00Z"),
            (-2_203_891_200, "1900-03-01T00:00:00Z"), (-86_400, "1969-12-31T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"), (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"), (1_709_164_800, "2024-02-29T00:00:00Z"),
            (1_795_219_200, "2026-11-21T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] as [(Int64, String)])
    func `a moment is printed and read again`(seconds: Int64, text: String) {
        let time = Timestamp(seconds: seconds, nanoseconds: 0)
        #expect("\(time)" == text)
        #expect(Timestamp(text) == time)
    }

    @Test(
        arguments: [
            (0, ""), (500_000_000, ".500"), (1_000_000, ".001"), (1_000, ".000001"),
            (123_456_000, ".123456"), (1, ".000000001"), (999_999_999, ".999999999"),
        ] as [(Int32, String)])
    func `a fraction has 0, 3, 6 or 9 digits`(nanoseconds: Int32, digits: String) {
        let time = Timestamp(seconds: -1, nanoseconds: nanoseconds)
        #expect("\(time)" == "1969-12-31T23:59:59\(digits)Z")
        #expect(Timestamp("1969-12-31T23:59:59\(digits)Z") == time)
    }

    @Test func `offsets, small letters and any number of digits are read`() {
        let time = Timestamp(seconds: 0, nanoseconds: 0)
        #expect(Timestamp("1970-01-01t02:30:00+02:30") == time)
        #expect(Timestamp("1969-12-31T22:00:00-02:00") == time)
        #expect(Timestamp("1970-01-01T00:00:00z") == time)
        #expect(Timestamp("1970-01-01T00:00:00.1Z")?.nanoseconds == 100_000_000)
        #expect(Timestamp("1970-01-01T00:00:00.12345678912Z")?.nanoseconds == 123_456_789)
    }

    @Test(
        arguments: [
            "", "1970-01-01", "1970-01-01T00:00:00", "1970-01-01T00:00:00.Z",
            "1970-01-01 00:00:00Z", "1970-1-01T00:00:00Z ", "1970-13-01T00:00:00Z",
            "1970-00-01T00:00:00Z", "1970-01-32T00:00:00Z", "1970-01-00T00:00:00Z",
            "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2024-04-31T00:00:00Z",
            "1970-01-01T24:00:00Z", "1970-01-01T00:60:00Z", "1970-01-01T00:00:60Z",
            "1970-01-01T00:00:00+0100", "1970-01-01T00:00:00+01:0", "1970-01-01T00:00:00+24:00",
            "1970-01-01T00:00:00+01:60", "1970-01-01T00:00:00ZZ", "0000-12-31T00:00:00Z",
            "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "-001-01-01T00:00:00Z",
            "1970-01-01T00:00:00.1", "x970-01-01T00:00:00Z", "1970-01-01T00:00:00.1+",
        ])
    func `other texts are no moments`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func `microseconds count from 1970, also backwards`() {
        #expect(Timestamp(microseconds: -1) == Timestamp(seconds: -1, nanoseconds: 999_999_000))
        #expect(Timestamp(microseconds: -1_000_000) == Timestamp(seconds: -1, nanoseconds: 0))
        #expect(Timestamp(microseconds: 1_000_001) == Timestamp(seconds: 1, nanoseconds: 1_000))
        for count: Int64 in [.min + 1_000_000, -1_000_001, -1, 0, 1, 999_999, 1_000_000, .max] {
            #expect(Timestamp(microseconds: count).microseconds == count)
        }
    }

    @Test func `the seconds between any two moments are told without overflow`() {
        let (first, last) = (
            Timestamp(seconds: .min, nanoseconds: 0), Timestamp(seconds: .max, nanoseconds: 0)
        )
        let now = Timestamp(seconds: 1_000, nanoseconds: 0)
        #expect(now.secondsSince(Timestamp(seconds: 400, nanoseconds: 9)) == 600)
        #expect(now.secondsSince(first) == .max)
        #expect(first.secondsSince(now) == .min)
        #expect(first.secondsSince(last) == .min)
        #expect(now.secondsSince(last) == 1_000 - Int64.max)
    }

    @Test func `microseconds saturate and round down`() {
        #expect(Timestamp(seconds: .max, nanoseconds: 0).microseconds == .max)
        #expect(Timestamp(seconds: .min, nanoseconds: 0).microseconds == .min)
        let last = Int64.max / 1_000_000
        #expect(Timestamp(seconds: last, nanoseconds: 999_999_999).microseconds == .max)
        #expect(Timestamp(seconds: -1, nanoseconds: 999_999_999).microseconds == -1)
        #expect(
            Timestamp(seconds: -1, nanoseconds: 999_999_999).flooredToMicroseconds
                == Timestamp(seconds: -1, nanoseconds: 999_999_000))
    }

    @Test func `spans add and subtract across seconds`() {
        let time = Timestamp(seconds: 10, nanoseconds: 900_000_000)
        let later = time.advanced(by: .milliseconds(200))
        #expect(later == Timestamp(seconds: 11, nanoseconds: 100_000_000))
        #expect(later.since(time) == .milliseconds(200))
        #expect(time.since(later) == .milliseconds(-200))
        #expect(later.advanced(by: .milliseconds(-200)) == time)
        #expect(
            time.advanced(by: .seconds(-11)) == Timestamp(seconds: -1, nanoseconds: 900_000_000))
        #expect(time.advanced(by: .zero) == time)
    }

    @Test func `moments are ordered by seconds, then nanoseconds`() {
        let ordered = [
            Timestamp(seconds: -2, nanoseconds: 5), Timestamp(seconds: -1, nanoseconds: 0),
            Timestamp(seconds: -1, nanoseconds: 1), Timestamp(seconds: 0, nanoseconds: 0),
        ]
        #expect(ordered.reversed().sorted() == ordered)
    }

    @Test func `random moments survive printing and reading`() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<1_000 {
            let time = Timestamp(
                seconds: .random(in: Timestamp.secondsRange, using: &random),
                nanoseconds: .random(in: 0..<1_000_000_000, using: &random))
            #expect(Timestamp("\(time)") == time)
        }
    }
}
