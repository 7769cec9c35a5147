public struct SQL: ExpressibleByStringInterpolation, Sendable {
  public enum Keyword: Sendable { case bytes, clustered, forUpdate }
  public struct StringInterpolation: StringInterpolationProtocol {
    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ s: String) {}
    public mutating func appendInterpolation(_ v: some SQLConvertible) {}
    public mutating func appendInterpolation(_ v: SQL) {}
    public mutating func appendInterpolation(_ v: Keyword) {}
  }
  public init(stringLiteral: String) {}
  public init(stringInterpolation: StringInterpolation) {}
}
public enum SQLValue: Sendable, Hashable { case null, integer(Int64), text(String), bytes([UInt8]) }
public protocol SQLConvertible { var sqlValue: SQLValue { get }; init(sqlValue: SQLValue) throws }
extension Int64: SQLConvertible { public var sqlValue: SQLValue {.null}; public init(sqlValue: SQLValue) throws {self = 0} }
extension Int: SQLConvertible { public var sqlValue: SQLValue {.null}; public init(sqlValue: SQLValue) throws {self = 0} }
extension String: SQLConvertible { public var sqlValue: SQLValue {.null}; public init(sqlValue: SQLValue) throws {self = ""} }
extension [UInt8]: SQLConvertible { public var sqlValue: SQLValue {.null}; public init(sqlValue: SQLValue) throws {self = []} }
extension Optional: SQLConvertible where Wrapped: SQLConvertible { public var sqlValue: SQLValue {.null}; public init(sqlValue: SQLValue) throws {self = nil} }
extension RawRepresentable where RawValue: SQLConvertible { public var sqlValue: SQLValue {.null}; public init(sqlValue: SQLValue) throws { self = Self(rawValue: try RawValue(sqlValue: sqlValue))! } }
public struct Row { public subscript<T: SQLConvertible>(_ i: Int) -> T { get throws { fatalError() } } }
public final class Transaction { 
  public func rows<T>(_ sql: SQL, _ d: (Row) throws -> T) throws -> [T] { [] }
  public func first<T>(_ sql: SQL, _ d: (Row) throws -> T) throws -> T? { nil }
  @discardableResult public func execute(_ sql: SQL) throws -> Int { 0 } }
public struct DatabaseOptions: Sendable { public init() {} }
public struct StorageEvents: Sendable { public init() {} }
public struct DatabaseLocation: Sendable, CustomStringConvertible { public init(_ s: String) throws {}; public var filePath: String? {nil}; public var description: String {""} }
public struct Migration: Sendable { init(number: Int, name: String, statements: [SQL]) {} }
public struct MigrationOutcome: Sendable {}
public enum StorageError: Error { case overloaded, unavailable(String), closed, diskFull, other }
public final class Database: Sendable {
  public static func open(_ l: DatabaseLocation, options: DatabaseOptions = .init(), events: StorageEvents = .init()) async throws -> Database { fatalError() }
  public func read<T: Sendable>(_ b: @escaping @Sendable (Transaction) throws -> T) async throws -> T { fatalError() }
  public func write<T: Sendable>(_ b: @escaping @Sendable (Transaction) throws -> T) async throws -> T { fatalError() }
  public func migrate(_ m: [Migration]) async throws -> MigrationOutcome { fatalError() }
  public func ping() async throws {}
  public func close() async {}
}
