/// A day of the proleptic Gregorian calendar.
package struct CivilDate: Hashable, Sendable {
    /// The year; zero is the one before the first.
    package let year: Int64
    /// From 1 to 12.
    package let month: Int64
    /// From 1 to 31.
    package let day: Int64
    /// Days since 1970-01-01.
    package let days: Int64

    /// The date of a day.
    package init(days: Int64) {
        self.days = days
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Returns `nil` for a day that is in no calendar, or outside the years 0 to 9999.
    ///
    /// - Parameters:
    ///   - year: The year, from 0 to 9999.
    ///   - month: The month, from 1 to 12.
    ///   - day: The day, from 1 to 31.
    package init?(year: Int64, month: Int64, day: Int64) {
        guard (0...9_999).contains(year), (1...12).contains(month), (1...31).contains(day) else {
            return nil
        }
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        self.init(days: era * 146_097 + dayOfEra - 719_468)
        // A day that the month does not have has become one of the next month.
        guard self.month == month, self.day == day else { return nil }
    }

    /// From 1, a Monday, to 7.
    package var dayOfWeek: Int64 {
        let weekday = (days + 3) % 7
        return (weekday < 0 ? weekday + 7 : weekday) + 1
    }

    /// From 1.
    package var dayOfYear: Int64 {
        let isLeap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
        let before: [Int64] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
        return before[Int(month) - 1] + day + (isLeap && month > 2 ? 1 : 0)
    }
}
