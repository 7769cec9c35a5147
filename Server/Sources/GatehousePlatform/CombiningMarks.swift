/// Combining marks, such as accents, follow a letter in any number and in any order. Swift sorts the marks of each letter whenever it
/// compares or hashes a text, which takes the square of their number. So a text from outside is refused where it is read if a letter of
/// it has more of them than anybody writes, and all later work on it is linear.
package enum CombiningMarks {
    /// Four times as many as the generators of decorated texts put on a letter.
    package static let maximum = 128

    /// Whether no letter has more than ``maximum``.
    ///
    /// - Parameter work: is increased by the number of bytes and letters that are looked at.
    package static func areFew(in text: some StringProtocol, work: inout Int) -> Bool {
        work += text.utf8.count
        // Nearly every text is ASCII.
        if ASCII.isAll(text) { return true }
        var marks = 0
        for scalar in text.unicodeScalars {
            work += 1
            marks = isMark(scalar) ? marks + 1 : 0
            if marks > maximum { return false }
        }
        return true
    }

    package static func areFew(in text: some StringProtocol) -> Bool {
        var work = 0
        return areFew(in: text, work: &work)
    }

    /// The text without the marks that are too many.
    package static func cut(_ text: String) -> String {
        var marks = 0
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { scalar in
                    marks = isMark(scalar) ? marks + 1 : 0
                    return marks <= maximum
                }))
    }

    /// A few marks of class 0 are replaced by marks of other classes when a text is normalised, so the class alone is not enough.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x300
            && (scalar.properties.canonicalCombiningClass != .notReordered
                || scalar.properties.generalCategory == .nonspacingMark)
    }
}
