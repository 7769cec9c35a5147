import GatehouseStorage

/// Values in the parentheses of `IN (…)`. The last one is repeated up to a power of two, so that few texts are prepared for all numbers.
enum SQLList {
    /// Upper bound on the values of one statement.
    private static let maximum = 256

    static func pages(of values: [some SQLConvertible & Sendable]) -> [SQL] {
        stride(from: 0, to: values.count, by: maximum).map { start in
            let page = values[start..<min(start + maximum, values.count)]
            var count = 1
            while count < page.count { count *= 2 }
            var list: SQL = "\(page[start])"
            for index in start + 1..<start + count { list = "\(list), \(page[min(index, page.endIndex - 1)])" }
            return list
        }
    }
}
