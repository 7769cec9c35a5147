public enum GatehouseTesting0 {}
