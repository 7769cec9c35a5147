import GatehouseJSON
import GatehousePlatform

/// The first bytes of a file, by which its form is recognised.
struct FileStart {
    let bytes: [UInt8]
    private static let records = 20

    /// The first lines of JSON lines that can be read.
    var objects: [SourceObject] { objects(JSONLinesReader(reader)) }

    /// The first elements of a document's list; nil if no document with this list begins here.
    func elements(
        of list: String, nextPage: String = "", emptyPage: ElementReader.EmptyPage? = nil
    ) -> [SourceObject]? {
        guard let first = bytes.first(where: { $0 > 0x20 }), first == UInt8(ascii: "{") else { return nil }
        var elements = ElementReader(reader, list: list, nextPage: nextPage, emptyPage: emptyPage)
        let record = try? elements.next()
        guard elements.hasList || elements.pages != PageCount() else { return nil }
        guard let record else { return [] }
        return objects(elements, first: record)
    }

    /// Whether the file has documents with this list, and nothing in it.
    func isEmpty(_ list: String, nextPage: String, emptyPage: ElementReader.EmptyPage?) -> Bool {
        var elements = ElementReader(reader, list: list, nextPage: nextPage, emptyPage: emptyPage)
        let record = try? elements.next()
        return record == nil && elements.pages != PageCount()
    }

    /// The first row of a table.
    func row(separator: UInt8) -> [String]? {
        var table = TableReader(reader, separator: separator, columns: nil)
        guard let record = try? table.next(), case .row(let row) = record.content else { return nil }
        return row
    }

    /// The first row of a table with tabs.
    var tabs: [String]? {
        var lines = LineReader(reader, limit: ByteReader.startBytes)
        guard case .bytes(var bytes)? = try? lines.next()?.content else { return nil }
        if bytes.last == 0x0d { bytes.removeLast() }
        return String(validating: bytes, as: UTF8.self).map(TabbedReader.fields)
    }

    /// The lines of a list of addresses; nil if there is another line.
    var addresses: [String]? {
        var reader = LineReader(reader, limit: ByteReader.startBytes)
        var addresses: [String] = []
        while case .bytes(let bytes)? = try? reader.next()?.content {
            guard let line = String(validating: bytes, as: UTF8.self)?.trimmingWhitespace() else { return nil }
            if line.isEmpty { continue }
            guard line.begins(with: "https://") else { return nil }
            addresses.append(line)
        }
        return addresses.isEmpty ? nil : addresses
    }

    private var reader: ByteReader {
        var rest = bytes
        return ByteReader(
            ImportInput.Stream { _ in
                defer { rest = [] }
                return rest
            })
    }

    private func objects(_ reader: some RecordReader, first: FramedRecord? = nil) -> [SourceObject] {
        var (reader, objects, next) = (reader, [SourceObject](), first)
        for _ in 0..<Self.records {
            guard let record = next ?? (try? reader.next()) else { break }
            next = nil
            if case .json(let value) = record.content, let object = try? SourceObject(value) { objects.append(object) }
        }
        return objects
    }
}
