-- The role and the database of Gatehouse. As PostgreSQL's superuser, once:
--   psql -v password="$(openssl rand -hex 24)" -f postgresql.sql
CREATE ROLE gatehouse_app LOGIN PASSWORD :'password';
CREATE DATABASE gatehouse_app OWNER gatehouse_app ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0;
REVOKE CONNECT ON DATABASE gatehouse_app FROM PUBLIC;
