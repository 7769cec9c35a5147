import GatehouseSecurity
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
