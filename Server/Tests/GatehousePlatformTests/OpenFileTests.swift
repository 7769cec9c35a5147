import Foundation
import Testing

@testable import GatehousePlatform

@Suite struct OpenFileTests {
    @Test("A pipe gives back what was written, in pieces or as a whole, and ends with its writer")
    func pipes() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let reader = OpenFile(descriptor: ends[0])
        do {
            let writer = OpenFile(descriptor: ends[1])
            try writer.write("one two".utf8)
            try writer.write([])
        }
        #expect(try reader.read(atMost: 3) == Array("one".utf8))
        #expect(try reader.readToEnd() == Array(" two".utf8))
        #expect(try reader.read(atMost: 1).isEmpty)
    }

    @Test("A file on a disk gives the bytes of any place, and what is read next stays the same; a pipe has no places")
    func places() throws {
        let path = NSTemporaryDirectory() + "places-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("one two".utf8).write(to: URL(fileURLWithPath: path))
        let file = try #require(OpenFile(reading: path))
        #expect(file.hasPlaces)
        #expect(try file.read(atMost: 3, from: 4) == Array("two".utf8))
        #expect(try file.read(atMost: 9, from: 5) == Array("wo".utf8))
        #expect(try file.read(atMost: 9, from: 70).isEmpty)
        #expect(try file.read(atMost: 3) == Array("one".utf8))
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (OpenFile(descriptor: ends[0]), OpenFile(descriptor: ends[1]))
        #expect(!reader.hasPlaces)
        #expect(throws: OpenFile.Failure.self) { try reader.read(atMost: 1, from: 0) }
        try writer.write([1])
    }

    @Test("What can't be opened, read or written says so")
    func failures() throws {
        #expect(OpenFile(reading: "/nowhere/at/all") == nil)
        let folder = try #require(OpenFile(reading: "/"))
        #expect(throws: OpenFile.Failure.self) { try folder.read(atMost: 1) }
        #expect(throws: OpenFile.Failure.self) { try folder.write([1]) }
    }
}
