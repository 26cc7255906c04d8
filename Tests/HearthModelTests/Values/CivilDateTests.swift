import HearthModel
import Testing

/// Days and dates are the same thing counted two ways.
struct CivilDateTests {
    @Test func `every day of ten thousand years is its date's`() throws {
        let first = try #require(CivilDate(year: 0, month: 1, day: 1))
        let last = try #require(CivilDate(year: 9_999, month: 12, day: 31))
        #expect(first.days == -719_528)
        #expect(last.days == 2_932_896)
        // A stride that meets every month and day, and not every day.
        for days in stride(from: first.days, through: last.days, by: 37) {
            let date = CivilDate(days: days)
            #expect(CivilDate(year: date.year, month: date.month, day: date.day) == date)
        }
    }

    @Test(
        arguments: [
            (2_023, 2, 29), (1_900, 2, 29), (2_000, 2, 30), (2_024, 4, 31), (2_024, 13, 1),
            (2_024, 0, 1), (2_024, 1, 0), (2_024, 1, 32), (-1, 1, 1), (10_000, 1, 1),
            (.max, 1, 1), (.min, 12, 31),
        ] as [(Int64, Int64, Int64)]) func `what is in no calendar is no date`(
            year: Int64, month: Int64, day: Int64
        )
    {
        #expect(CivilDate(year: year, month: month, day: day) == nil)
    }

    @Test func `a leap day has its place in week and year`() throws {
        let date = try #require(CivilDate(year: 2_024, month: 2, day: 29))
        #expect(date.days == 19_782)
        #expect(date.dayOfWeek == 4)
        #expect(date.dayOfYear == 60)
        #expect(CivilDate(days: date.days + 1).dayOfYear == 61)
    }
}
