import GatehouseStorage

/// A page of a search that examines rows one by one, newest first, and no more than a fixed number of them: no filter can cost more.
package struct BoundedSearch<Row: Sendable>: Sendable {
    /// The number of rows that one page examines. A row costs some microseconds, and a page may take 20 milliseconds.
    package static var bound: Int { 2_000 }
    /// How many are read at a time. A page is mostly full after a few.
    private static var step: Int { 500 }

    package var found: [Row] = []
    /// Continues after the row with this id; nil at the end of the list.
    package var next: String?
    /// The last row that was examined, if the search has stopped at its bound.
    package var stoppedAt: Row?

    /// - Parameters:
    ///   - place: the last row of the page before.
    ///   - rows: the rows after one, at most so many.
    init(
        after place: String?, limit: Int, id: (Row) -> String, rows: (String?, Int) throws -> [Row],
        where holds: (Row) -> Bool
    ) throws {
        var (place, examined) = (place, 0)
        let step = limit < Self.bound ? Self.step : Self.bound
        var last: Row?
        while examined < Self.bound {
            let part = try rows(place, step)
            for row in part where holds(row) {
                // One more than the page shows that there is another page.
                guard found.count < limit else {
                    next = found.last.map(id)
                    return
                }
                found.append(row)
            }
            examined += part.count
            guard part.count == step, let end = part.last else { return }
            (place, last) = (id(end), end)
        }
        (next, stoppedAt) = (place, last)
    }
}
