package import GatehouseSecurity
import GatehouseStorage

/// The requested part of a long list.
package struct Page: Sendable, Hashable {
    static let maximumSize = 1_000
    /// The engine passes over every element before a page, which Gamebase's API names by its number. What lies further on is found by a
    /// shorter period instead.
    static let maximumOffset = 100_000

    /// The number of the page, beginning with 0.
    package let number: Int
    package let size: Int
    let isDescending: Bool

    var offset: Int { number * size }

    /// - Throws: 3 for an invalid page. A size above the maximum is reduced to it, as the response shows.
    package init(number: Int, size: Int, isDescending: Bool) throws {
        guard size > 0 else { throw Refusal.parameter("size", "A page has at least one element.") }
        let size = min(size, Self.maximumSize)
        guard (0...Self.maximumOffset / size).contains(number) else {
            throw Refusal.parameter(
                "page", "A page's number is 0 or more, and it begins within the first \(Self.maximumOffset) elements.")
        }
        self.number = number
        self.size = size
        self.isDescending = isDescending
    }
}

/// A page with the properties of the whole list.
package struct Paged<Element: Sendable>: Sendable {
    package let page: Page
    package let total: Int
    package let elements: [Element]

    func map<Other: Sendable>(_ transform: (Element) throws -> Other) rethrows -> Paged<Other> {
        Paged<Other>(page: page, total: total, elements: try elements.map(transform))
    }
}

extension Reader {
    /// A page of a list, and the length of the list. Game servers ask for pages by number and are told the total (Gamebase's Server
    /// API), so the engine has to count the list and to pass over the pages before. This belongs into ``Database/report(_:)``, whose
    /// time limit bounds it. Lists without this contract go on after the last key instead.
    ///
    /// - Parameters:
    ///   - key: the column to sort by.
    ///   - further: the columns to sort equal keys by.
    func page<Element: Sendable>(
        _ page: Page, _ columns: SQL, from source: SQL, orderedBy key: SQL, _ further: SQL...,
        decode: (Row) throws -> Element
    ) throws -> Paged<Element> {
        let total = try first("SELECT COUNT(*) FROM \(source)") { row in try row[0] as Int } ?? 0
        let order = further.reduce(page.ordered(key)) { "\($0), \(page.ordered($1))" as SQL }
        let elements = try rows(
            "SELECT \(columns) FROM \(source) ORDER BY \(order) LIMIT \(page.size) OFFSET \(page.offset)", decode)
        return Paged(page: page, total: total, elements: elements)
    }
}

extension Page {
    fileprivate func ordered(_ key: SQL) -> SQL { isDescending ? "\(key) DESC" : key }
}

/// A period that includes both its first and its last moment.
package struct Period: Sendable, Hashable {
    package let begin: Moment
    package let end: Moment

    /// - Throws: 3 when it ends before it begins.
    package init(begin: Moment, end: Moment) throws {
        guard begin <= end else { throw Refusal.parameter("end", "The end lies before the beginning.") }
        self.begin = begin
        self.end = end
    }

    /// A condition that an id beginning with its time falls into this period.
    func holds(_ id: SQL) -> SQL {
        let past = Moment(milliseconds: end.milliseconds.addingReportingOverflow(1).partialValue)
        return "\(id) >= \(TimeOrderedID.firstSession(at: begin)) AND \(id) < \(TimeOrderedID.firstSession(at: past))"
    }
}

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
